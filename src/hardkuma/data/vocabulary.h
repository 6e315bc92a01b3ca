#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hardkuma {

/// The bracket that -LRB- or -RRB- of the Penn bank stands for; any other word is itself.
std::string_view penn_bracket(std::string_view word);

constexpr int32_t kNullWord = 1;

/// Words and their numbers. Number 0 is every word that is not here, unless these are told apart
/// into some classes, each with a number of its own.
class Vocabulary {
 public:
  Vocabulary();

  /// With the NULL word, which stands in front of both texts of a pair, as kNullWord.
  void add_null();

  /// With `count` classes of unknown words, told apart by the MD5 of a word's bytes.
  void add_unknown_classes(int64_t count);

  int32_t add(const std::string& word);  ///< its number, new or not

  /// Exact, then lower-case (the Penn bank's names of brackets as brackets), then its class of
  /// unknown words.
  int32_t find(std::string_view word) const;
  bool is_unknown(int32_t number) const;
  int64_t known() const;  ///< words that have a meaning: not those for NULL and the unknown
  int64_t unknown_classes() const { return classes_; }

  /// Would a text's word be taken for one of ours?
  static bool is_reserved(std::string_view word);
  bool contains(std::string_view word) const;

  int64_t size() const { return static_cast<int64_t>(words_.size()); }

  std::string to_text() const;  ///< one word a line, the line number being the word's
  static Vocabulary from_text(std::string_view text, const std::string& path);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  int32_t unknown_class(std::string_view word) const;

  std::vector<std::string> words_;
  int64_t classes_ = 0;
  int32_t first_class_ = 0;
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace hardkuma
