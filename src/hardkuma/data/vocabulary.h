#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hardkuma {

/// The bracket that -LRB- or -RRB- of the Penn bank stands for; any other word is itself.
std::string_view penn_bracket(std::string_view word);

/// Words and their numbers. Number 0 is every word that is not here.
class Vocabulary {
 public:
  Vocabulary();

  int32_t add(const std::string& word);  ///< its number, new or not

  /// Exact, then lower-case (the Penn bank's names of brackets as brackets), then 0.
  int32_t find(std::string_view word) const;
  bool contains(std::string_view word) const;

  int64_t size() const { return static_cast<int64_t>(words_.size()); }

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
