#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hardkuma {

/// Words and their numbers. Number 0 is every word that is not here.
class Vocabulary {
 public:
  Vocabulary();

  int32_t add(const std::string& word);  ///< its number, new or not

  /// Exact, then lower-case, then 0; the Penn bank's names of brackets are looked up as brackets.
  int32_t find(std::string_view word) const;
  bool contains(std::string_view word) const;

  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  const std::string& word(int32_t number) const { return words_[static_cast<size_t>(number)]; }

  std::string to_text() const;  ///< one word a line, the line number being the word's
  static Vocabulary from_text(std::string_view text, const std::string& path);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::vector<std::string> words_;
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace hardkuma
