#include "hardkuma/data/vocabulary.h"

#include "hardkuma/common/error.h"
#include "hardkuma/common/md5.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr const char* kUnknown = "<unk>";
constexpr const char* kNull = "<null>";
constexpr const char* kClassPrefix = "<unk:";

}  // namespace

std::string_view penn_bracket(std::string_view word) {
  if (word == "-LRB-" || word == "-lrb-") return "(";
  if (word == "-RRB-" || word == "-rrb-") return ")";
  return word;
}

Vocabulary::Vocabulary() {
  add(kUnknown);
}

void Vocabulary::add_null() {
  if (add(kNull) != kNullWord) throw InternalError("[Vocabulary] the NULL word comes first");
}

void Vocabulary::add_unknown_classes(int64_t count) {
  first_class_ = static_cast<int32_t>(words_.size());
  for (; classes_ < count; ++classes_) add(kClassPrefix + std::to_string(classes_) + ">");
}

int32_t Vocabulary::unknown_class(std::string_view word) const {
  if (classes_ == 0) return 0;
  return first_class_ + static_cast<int32_t>(md5_modulo(word, static_cast<uint64_t>(classes_)));
}

int64_t Vocabulary::known() const {
  return size() - 1 - classes_ - (words_.size() > kNullWord && words_[kNullWord] == kNull ? 1 : 0);
}

bool Vocabulary::is_reserved(std::string_view word) {
  return word == kUnknown || word == kNull || word.substr(0, 5) == kClassPrefix;
}

bool Vocabulary::is_unknown(int32_t number) const {
  return number == 0 || (number >= first_class_ && number < first_class_ + classes_);
}

int32_t Vocabulary::add(const std::string& word) {
  const auto [at, is_new] = ids_.try_emplace(word, static_cast<int32_t>(words_.size()));
  if (is_new) words_.push_back(word);
  return at->second;
}

int32_t Vocabulary::find(std::string_view word) const {
  if (const auto exact = ids_.find(word); exact != ids_.end()) return exact->second;
  const auto lower = ids_.find(lower_case(penn_bracket(word)));
  return lower == ids_.end() ? unknown_class(word) : lower->second;
}

bool Vocabulary::contains(std::string_view word) const {
  return ids_.contains(word);
}

std::string Vocabulary::to_text() const {
  std::string out;
  for (const std::string& word : words_) out += word + "\n";
  return out;
}

Vocabulary Vocabulary::from_text(std::string_view text, const std::string& path) {
  Vocabulary vocabulary;
  int64_t line = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string word(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (++line == 1 && word != kUnknown) {
      throw InputError("{}:1: not a vocabulary: the first word must be {}", path, kUnknown);
    }
    if (vocabulary.add(word) != line - 1) {
      throw InputError("{}:{}: the word \"{}\" stands twice", path, line, quotable(word));
    }
    // The classes are contiguous and come before all words of the language.
    if (word == kClassPrefix + std::to_string(vocabulary.classes_) + ">") {
      if (vocabulary.classes_ == 0) vocabulary.first_class_ = static_cast<int32_t>(line - 1);
      ++vocabulary.classes_;
    }
  }
  if (line == 0) throw InputError("{}: the vocabulary is empty", path);
  return vocabulary;
}

}  // namespace hardkuma
