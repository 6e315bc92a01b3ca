#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace hardkuma {

/// Vectors for some words, read from GloVe or fastText text (plain or .gz) or word2vec binary
/// (`.bin`).
struct WordVectors {
  int64_t width = 0;
  std::vector<std::string> words;
  std::vector<float> values;  ///< [words, width]
  std::string fingerprint;    ///< of the file's bytes, as they were read
};

/// Reads the words in `wanted`, and also the first `extra` words of the file.
WordVectors read_word_vectors(const std::string& path,
                              const std::unordered_set<std::string>& wanted, int64_t extra);

}  // namespace hardkuma
