#include "hardkuma/data/beer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/json.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/record_reader.h"
#include "hardkuma/data/tokenizer.h"

namespace hardkuma {
namespace {

using Json = nlohmann::json;

// The numbers before the tab; false if there is anything else.
bool read_scores(std::string_view text, std::vector<double>& scores) {
  while (!trim(text).empty()) {
    text = trim(text);
    const size_t end = std::min(text.find(' '), text.size());
    double value = 0.0;
    if (!parse_number(text.substr(0, end), value)) return false;
    scores.push_back(value);
    text.remove_prefix(end);
  }
  return true;
}

void set_label(RawExample& example, const std::vector<double>& scores, int aspect,
               const std::string& where) {
  if (aspect == kNoAspect) return;
  if (scores.size() != kBeerAspects.size()) {
    throw InputError("{}: {} scores where a beer review has five", where, scores.size());
  }
  for (const double score : scores) {
    if (score < 0.0 || score > 1.0) {
      throw InputError("{}: score {} is outside [0, 1]", where, score);
    }
  }
  if (aspect == kAllAspects) {
    example.values = scores;
    return;
  }
  example.label = fmt::format("{}", scores[static_cast<size_t>(aspect)]);
  example.label_is_number = true;
}

void add_gold(RawExample& example, const Json& ranges, const std::string& where) {
  const auto count = static_cast<int64_t>(example.tokens.size());
  if (!ranges.is_array()) throw InputError("{}: annotated ranges must be a list", where);
  for (const Json& range : ranges) {
    const bool pair = range.is_array() && range.size() == 2 && range[0].is_number_integer() &&
                      range[1].is_number_integer();
    if (!pair) throw InputError("{}: an annotated range must be [start, end]", where);
    const auto start = range[0].get<int64_t>();
    const auto end = range[1].get<int64_t>();
    if (start < 0 || end < start || end > count) {
      throw InputError("{}: annotated range [{}, {}) is outside the {} words", where, start, end,
                       count);
    }
    if (start == end) continue;
    example.has_gold = true;
    example.gold.push_back({example.tokens[static_cast<size_t>(start)].start,
                            example.tokens[static_cast<size_t>(end - 1)].end});
  }
}

bool is_annotation(const Json& record) {
  return record.is_object() && record.contains("x") && record["x"].is_array() &&
         record.contains("y") && record["y"].is_array();
}

RawExample parse_annotation(const std::string& line, int aspect, const std::string& where) {
  const Json record = parse_json<Json>(line, where);
  const auto all = [](const Json& list, auto&& good) {
    return std::all_of(list.begin(), list.end(), good);
  };
  const bool typed = is_annotation(record) &&
                     all(record["x"], [](const Json& word) { return word.is_string(); }) &&
                     all(record["y"], [](const Json& score) { return score.is_number(); });
  if (!typed) {
    throw InputError("{}: not an annotated review: \"x\" must list words, \"y\" scores", where);
  }
  RawExample example;
  set_label(example, record["y"].get<std::vector<double>>(), aspect, where);
  for (const Json& item : record["x"]) {
    const auto word = item.get<std::string>();
    if (word.empty() || word.find_first_of("\r\n") != std::string::npos) {
      throw InputError("{}: word {} of \"x\" is empty or holds a line break", where,
                       example.tokens.size() + 1);
    }
    append_word(example.text, example.tokens, word);
  }
  for (int k = 0; k < static_cast<int>(kBeerAspects.size()); ++k) {
    const std::string key = std::to_string(k);
    const bool wanted = aspect == k || aspect == kAllAspects;
    if (wanted && record.contains(key)) add_gold(example, record[key], where);
  }
  return example;
}

}  // namespace

int beer_aspect(const std::string& name, const std::string& where) {
  if (name == "all") return kAllAspects;
  for (size_t k = 0; k < kBeerAspects.size(); ++k) {
    if (name == kBeerAspects[k] || name == std::to_string(k)) return static_cast<int>(k);
  }
  std::vector<std::string> names(kBeerAspects.begin(), kBeerAspects.end());
  names.emplace_back("all");
  if (name.empty()) {
    throw InputError("{}: beer reviews have five scores; name one with --aspect: {}", where,
                     fmt::join(names, ", "));
  }
  throw InputError("{}: no aspect \"{}\"{}; there are: {}", where, quotable(name),
                   did_you_mean(name, names), fmt::join(names, ", "));
}

bool looks_like_beer(std::string_view line) {
  if (line.starts_with('{')) return is_annotation(try_parse_json<Json>(line));
  const size_t tab = line.find('\t');
  std::vector<double> scores;
  return tab != std::string_view::npos && read_scores(line.substr(0, tab), scores) &&
         scores.size() == kBeerAspects.size() &&
         std::all_of(scores.begin(), scores.end(), [](double s) { return s >= 0.0 && s <= 1.0; });
}

RawExample parse_beer(const std::string& line, int aspect, const std::string& where) {
  if (line.starts_with('{')) return parse_annotation(line, aspect, where);
  const size_t tab = line.find('\t');
  std::vector<double> scores;
  if (tab == std::string::npos || !read_scores(std::string_view(line).substr(0, tab), scores)) {
    throw InputError("{}: not a beer review: five scores, a tab, words", where);
  }
  RawExample example;
  set_label(example, scores, aspect, where);
  example.text = line.substr(tab + 1);
  example.tokens = tokenize(example.text, Tokenizer::Whitespace);
  return example;
}

BeerFiles find_beer_files(const std::string& directory, int aspect) {
  std::vector<std::string> stems = {"reviews.260k.", "reviews.all."};
  if (aspect >= 0) stems.insert(stems.begin(), fmt::format("reviews.aspect{}.", aspect));
  const auto find = [&](const std::string& stem) -> std::string {
    for (const char* ending : {".txt.gz", ".txt"}) {
      const auto path = std::filesystem::path(directory) / (stem + ending);
      if (std::filesystem::exists(path)) return path.string();
    }
    return "";
  };
  for (const std::string& stem : stems) {
    const std::string train = find(stem + "train");
    if (!train.empty()) return {train, find(stem + "heldout")};
  }
  return {};
}

namespace {

struct ParseBeer {
  int aspect;
  RawExample operator()(const std::string& line, const std::string& where) const {
    return parse_beer(line, aspect, where);
  }
};

class BeerReader final : public RecordReader<ParseBeer> {
 public:
  BeerReader(LineReader lines, int aspect)
      : RecordReader(std::move(lines), ParseBeer{aspect}), aspect_(aspect) {}

  std::string aspect() const override {
    if (aspect_ == kNoAspect) return "";
    return aspect_ == kAllAspects ? "all" : kBeerAspects[static_cast<size_t>(aspect_)];
  }
  std::vector<std::string> value_names() const override {
    if (aspect_ != kAllAspects) return {};
    return {kBeerAspects.begin(), kBeerAspects.end()};
  }

 private:
  int aspect_;
};

}  // namespace

std::unique_ptr<ExampleReader> open_beer(LineReader lines, const Columns& columns,
                                         bool with_label) {
  const int aspect = with_label ? beer_aspect(columns.aspect, lines.path()) : kNoAspect;
  return std::make_unique<BeerReader>(std::move(lines), aspect);
}

}  // namespace hardkuma
