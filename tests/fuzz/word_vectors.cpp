// Word vectors as text, or binary where NAME ends in .bin.
#include "hardkuma/data/word_vectors.h"

#include "fuzz/fuzz.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = fuzz::as_file(NAME, data, size);
  return fuzz::read_or_refuse([&] {
    const WordVectors vectors = read_word_vectors(path, {"the", "beer"}, 3);
    fuzz::check(vectors.values.size() ==
                    vectors.words.size() * static_cast<size_t>(vectors.width),
                "each word has a vector");
  });
}
