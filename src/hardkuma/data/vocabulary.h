#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hardkuma {

/// The bracket for the Penn Treebank's -LRB- and -RRB-; any other word unchanged.
std::string_view penn_bracket(std::string_view word);

constexpr int32_t kNullWord = 1;

/// Words and their ids. All unknown words have id 0, unless they are divided into classes with ids
/// of their own.
class Vocabulary {
 public:
  Vocabulary();

  /// Adds the NULL word, which is put in front of both texts of a pair, as kNullWord.
  void add_null();

  /// Adds `count` classes of unknown words; the MD5 of a word's bytes determines its class.
  void add_unknown_classes(int64_t count);

  int32_t add(const std::string& word);  ///< its id, new or existing

  /// Looks up the exact word, then its lower case (-LRB- and -RRB- as brackets); else returns its
  /// class of unknown words.
  int32_t find(std::string_view word) const;
  bool is_unknown(int32_t number) const;
  const std::string& word(int32_t id) const { return words_[static_cast<size_t>(id)]; }
  int64_t known() const;  ///< number of words, without NULL and those for unknown words
  int64_t unknown_classes() const { return classes_; }

  /// Is the word one of our special words?
  static bool is_reserved(std::string_view word);
  bool contains(std::string_view word) const;

  int64_t size() const { return static_cast<int64_t>(words_.size()); }

  std::string to_text() const;  ///< one word per line, in order of their ids
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
