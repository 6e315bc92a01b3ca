// vocab.txt: what was read is written and read again.
#include "hardkuma/data/vocabulary.h"

#include "fuzz/fuzz.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::read_or_refuse([&] {
    const std::string once = Vocabulary::from_text(fuzz::as_text(data, size), "f").to_text();
    fuzz::check(Vocabulary::from_text(once, "f").to_text() == once, "words go round");
  });
}
