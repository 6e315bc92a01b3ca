#include "hardkuma/data/make_example.h"

#include <algorithm>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {

void tokenize_example(RawExample& example, const DataOptions& options, const std::string& path) {
  const bool pair = example.is_pair;
  const int64_t most = pair ? std::min(options.max_tokens, kLongestSide) : options.max_tokens;
  std::vector<RawText*> texts = {&example};
  if (pair) texts.push_back(&example.second);
  for (RawText* text : texts) {
    if (text->tokens.empty()) text->tokens = tokenize(text->text, options.tokenizer);
    const auto count = static_cast<int64_t>(text->tokens.size());
    if (count <= most) continue;
    if (!options.truncate) {
      throw InputError(
          "{}:{}: a text of {} tokens, more than the limit of {}{}; cut long texts with "
          "--truncate{}",
          path, example.line, with_commas(count), with_commas(most),
          pair ? " for a side of a pair" : "",
          most == options.max_tokens ? ", or raise data.max_tokens" : "");
    }
    text->tokens.resize(static_cast<size_t>(most));
  }
}

std::vector<uint8_t> gold_mask(const std::vector<Token>& tokens,
                               const std::vector<CharSpan>& spans) {
  std::vector<uint8_t> mask(tokens.size(), 0);
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const CharSpan& span : spans) {
      if (tokens[i].start < span.end && tokens[i].end > span.start) mask[i] = 1;
    }
  }
  return mask;
}

Example make_example(RawExample raw, const Vocabulary& vocabulary) {
  Example out;
  out.id = std::move(raw.id);
  out.has_gold = raw.has_gold;
  out.is_pair = raw.is_pair;
  const auto fill = [&](RawText& from, Words& to) {
    to.text = std::move(from.text);
    to.tokens = std::move(from.tokens);
    for (size_t t = 0; t < to.tokens.size(); ++t) {
      to.words.push_back(vocabulary.find(to.tokens[t].in(to.text)));
      if (!vocabulary.is_unknown(to.words.back())) continue;
      to.unknown.resize(to.tokens.size());
      to.unknown[t] = 1;
    }
    if (raw.has_gold) to.gold = gold_mask(to.tokens, from.gold);
  };
  fill(raw, out);
  if (raw.is_pair) fill(raw.second, out.second);
  return out;
}

std::vector<Example> make_examples(RawSplit split, const TaskInfo& task,
                                   const Vocabulary& vocabulary) {
  std::vector<Example> out;
  out.reserve(split.examples.size());
  for (RawExample& raw : split.examples) {
    std::vector<float> values(raw.values.begin(), raw.values.end());
    const size_t wanted = task.regression ? task.labels.size() : 0;
    if (values.size() != wanted) {
      throw InputError(
          "{}:{}: {} scores where the model predicts {}; give the data it was made for", split.path,
          raw.line, std::max<size_t>(1, values.size()), std::max<size_t>(1, wanted));
    }
    const double target = values.empty() ? target_of(raw, task, split.path) : 0.0;
    out.push_back(make_example(std::move(raw), vocabulary));
    out.back().target = target;
    out.back().targets = std::move(values);
  }
  return out;
}

}  // namespace hardkuma
