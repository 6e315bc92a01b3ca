// The grammar is one table of words and patterns; splitting it would only scatter it.
#include "hardkuma/data/tasting_notes.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

using Words = std::vector<std::string_view>;

// Praise and blame, shared by all aspects and by the sentences that rate nothing.
const Words kPraise = {"lovely",    "superb",   "wonderful",  "excellent", "inviting", "charming",
                       "fine",      "splendid", "delightful", "pleasing",  "gorgeous", "brilliant",
                       "appealing", "terrific", "great",      "nice",      "generous", "elegant"};
const Words kBlame = {"dull",   "poor",     "dreadful", "weak",      "disappointing",
                      "awful",  "bland",    "tired",    "terrible",  "unpleasant",
                      "sad",    "lifeless", "mediocre", "miserable", "bad",
                      "clumsy", "crude",    "dismal"};
const Words kIntensifiers = {"very", "really", "truly", "quite", "remarkably", "simply", "rather"};
const Words kNegations = {"not", "far from", "hardly", "anything but", "never", "not at all"};

struct AspectGrammar {
  Words openers;
  Words nouns;
  Words praise;  // used for this aspect only
  Words blame;
};

const std::array<AspectGrammar, 3> kGrammar = {{
    {{"In the glass", "Held to the light", "To the eye", "Once poured"},
     {"colour", "head", "lacing", "clarity", "hue", "foam", "appearance", "pour", "collar"},
     {"radiant", "sparkling", "bright"},
     {"murky", "cloudy", "drab"}},
    {{"On the nose", "Leaning in", "Under the nose", "Before the first sip"},
     {"aroma", "bouquet", "scent", "smell", "fragrance", "perfume", "nose", "whiff"},
     {"fragrant", "floral", "fresh"},
     {"musty", "sour", "stale"}},
    {{"On the tongue", "In the mouth", "Once sipped", "Going down"},
     {"mouthfeel", "body", "carbonation", "texture", "finish", "palate", "weight", "feel"},
     {"silky", "creamy", "round"},
     {"watery", "harsh", "thin"}},
}};

// Sentences that rate nothing. %P and %B stand for a word of praise or blame, %N for a rated
// aspect's noun: a model must not take these for evidence.
const Words kDistractors = {
    "My brother brought this back from a %P trip to the coast .",
    "We had a %B drive home in the rain afterwards .",
    "The label shows a fox and a lantern .",
    "I paid four coins for the bottle at the corner shop .",
    "It was bottled in spring and kept in the cellar for a year .",
    "The bar had %P music and a %B chair .",
    "Served in a tall glass with a plate of olives .",
    "The owner told us a %P story about the old press .",
    "Someone asked about the %N but nobody answered .",
    "A friend wrote a book on %N and its history .",
    "The weather was %B all week .",
    "We opened it after dinner with the neighbours .",
    "My notes from last year are lost .",
    "The shop assistant was %P and the queue was short .",
    "They changed the cork two seasons ago .",
    "The train was late and the platform %B .",
    "I tasted it twice , on Monday and on Friday .",
    "It comes from a %P valley in the north .",
    "The website has a %B page about this batch .",
    "Our table was next to the window .",
    "The dog slept under the bench the whole time .",
    "He read a chapter on %N before we started .",
};

// The same judgements on the same aspects, but of another drink. %J stands for a judgement, %N for
// a noun of the aspect.
const Words kComparisons = {
    "The one beside it had a %J %N , %J and %J .", "Last year the %N was %J and the %N %J .",
    "My neighbour 's bottle : %J %N , %J , %J .",  "The usual brand has a %J %N and a %J %N .",
    "I remember a %N that was %J , %J and %J .",   "Theirs comes with a %J %N , %J and %J .",
};

const Words kConcessions = {"and", ",", "while", ", and"};
const Words kVerbs = {"is", "seems", "was", "stays"};

// A stream of choices drawn from one key.
class Dice {
 public:
  explicit Dice(RandomKey key) : key_(key) {}
  uint64_t below(uint64_t n) { return key_.with(next_++).below(n); }
  double uniform() { return key_.with(next_++).uniform_double(); }
  bool chance(double p) { return uniform() < p; }
  std::string_view pick(const Words& words) { return words[below(words.size())]; }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * M_PI * uniform());
  }

 private:
  RandomKey key_;
  uint64_t next_ = 0;
};

struct Remark {
  bool praise = true;
  double strength = 0.7;  // 1 with an intensifier
};

std::string_view judgement(Dice& dice, const AspectGrammar& aspect, bool praise) {
  if (dice.chance(0.3)) return dice.pick(praise ? aspect.praise : aspect.blame);
  return dice.pick(praise ? kPraise : kBlame);
}

// "lovely", "very lovely", "far from dull".
std::string predicate(Dice& dice, const AspectGrammar& aspect, Remark& remark) {
  if (dice.chance(0.25)) {
    remark.strength = 0.5;
    // A local variable fixes the order of the draws, which the compiler would be free to choose.
    const std::string word(judgement(dice, aspect, !remark.praise));
    return std::string(dice.pick(kNegations)) + " " + word;
  }
  const std::string word(judgement(dice, aspect, remark.praise));
  if (!dice.chance(0.35)) return word;
  remark.strength = 1.0;
  return std::string(dice.pick(kIntensifiers)) + " " + word;
}

// Three remarks in one or two sentences. Words are separated by spaces, punctuation too.
std::string aspect_block(Dice& dice, const AspectGrammar& aspect, std::array<Remark, 3>& remarks) {
  std::array<std::string, 3> said;
  for (size_t i = 0; i < 3; ++i) said[i] = predicate(dice, aspect, remarks[i]);
  const std::string opener(dice.pick(aspect.openers));
  const size_t first = dice.below(aspect.nouns.size());
  const size_t second = (first + 1 + dice.below(aspect.nouns.size() - 1)) % aspect.nouns.size();
  const std::string a(aspect.nouns[first]);
  const std::string b(aspect.nouns[second]);
  const std::string verb(dice.pick(kVerbs));
  const std::string joint(dice.pick(kConcessions));
  switch (dice.below(5)) {
    case 0:
      return opener + " it " + verb + " " + said[0] + " , " + said[1] + " and " + said[2] + " .";
    case 1:
      return "The " + a + " " + verb + " " + said[0] + " " + joint + " the " + b + " " + said[1] +
             " . It stays " + said[2] + " .";
    case 2:
      return "I found the " + a + " " + said[0] + " and the " + b + " " + said[1] + " , even " +
             said[2] + " .";
    case 3:
      return opener + " : " + said[0] + " " + a + " , " + said[1] + " , " + said[2] + " .";
    default:
      return "Its " + a + " " + verb + " " + said[0] + " . It is " + said[1] + " " + joint + " " +
             said[2] + " .";
  }
}

// A pattern with each %K replaced by what `word` gives for K.
template <typename Word>
std::string filled(std::string_view pattern, const Word& word) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%') {
      out += word(pattern[++i]);
    } else {
      out += pattern[i];
    }
  }
  return out;
}

std::string distractor(Dice& dice) {
  return filled(dice.pick(kDistractors), [&](char kind) {
    if (kind == 'P') return dice.pick(kPraise);
    if (kind == 'B') return dice.pick(kBlame);
    return dice.pick(kGrammar[dice.below(3)].nouns);
  });
}

std::string comparison(Dice& dice) {
  const AspectGrammar& aspect = kGrammar[dice.below(3)];
  return filled(dice.pick(kComparisons), [&](char kind) {
    if (kind == 'N') return dice.pick(aspect.nouns);
    const bool praise = dice.chance(0.5);
    return judgement(dice, aspect, praise);
  });
}

// Closes up punctuation and fixes "a inviting": the text as a person would type it.
std::string typeset(const std::string& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool closing = words[i] == ' ' && i + 1 < words.size() &&
                         std::string_view(".,:'").find(words[i + 1]) != std::string_view::npos;
    if (!closing) out += words[i];
  }
  for (const char* article : {" a ", " A "}) {
    for (size_t at = out.find(article); at != std::string::npos; at = out.find(article, at + 1)) {
      const bool vowel = std::string_view("aeiou").find(out[at + 3]) != std::string_view::npos;
      if (vowel) out.insert(at + 2, "n");
    }
  }
  return out;
}

AspectRating rate(const std::array<Remark, 3>& remarks, CharSpan span) {
  double sum = 0.0;
  int praise = 0;
  for (const Remark& remark : remarks) {
    sum += remark.praise ? remark.strength : -remark.strength;
    praise += remark.praise ? 1 : 0;
  }
  const double score = std::round((0.5 + sum / 6.0) * 1e6) / 1e6;
  return {score, praise >= 2 ? "good" : "poor", {span}};
}

TastingNote make_note(const TastingNotesOptions& options, int64_t index) {
  Dice dice(RandomKey(options.seed).with(kGenerateStream).with(static_cast<uint64_t>(index)));
  const double shared = dice.normal();
  struct Block {
    int aspect;  // -1: rates nothing
    std::string text;
    std::array<Remark, 3> remarks;
  };
  std::vector<Block> blocks;
  for (int k = 0; k < 3; ++k) {
    const double quality = std::sqrt(options.correlation) * shared +
                           std::sqrt(1 - options.correlation) * dice.normal();
    Block block{k, "", {}};
    for (Remark& remark : block.remarks) remark.praise = (quality > 0) == dice.chance(0.85);
    block.text = typeset(aspect_block(dice, kGrammar[static_cast<size_t>(k)], block.remarks));
    blocks.push_back(std::move(block));
  }
  const uint64_t distractors = 2 + dice.below(3);
  for (uint64_t i = 0; i < distractors; ++i) blocks.push_back({-1, typeset(distractor(dice)), {}});
  for (int64_t i = 0; i < options.comparisons; ++i) {
    blocks.push_back({-1, typeset(comparison(dice)), {}});
  }

  TastingNote note;
  note.id = fmt::format("{}-{}", options.prefix, index);
  while (!blocks.empty()) {
    const auto chosen = static_cast<std::ptrdiff_t>(dice.below(blocks.size()));
    const Block block = blocks[static_cast<size_t>(chosen)];
    blocks.erase(blocks.begin() + chosen);
    if (!note.text.empty()) note.text += ' ';
    const auto start = static_cast<int64_t>(note.text.size());  // the grammar is ASCII
    note.text += block.text;
    if (block.aspect < 0) continue;
    note.aspects[static_cast<size_t>(block.aspect)] =
        rate(block.remarks, {start, static_cast<int64_t>(note.text.size())});
  }
  return note;
}

}  // namespace

std::vector<TastingNote> tasting_notes(const TastingNotesOptions& options) {
  if (options.count < 1)
    throw UsageError("the count of notes must be positive, got {}", options.count);
  if (!(options.correlation >= 0.0 && options.correlation <= 1.0)) {
    throw UsageError("the correlation must be between 0 and 1, got {}", options.correlation);
  }
  if (options.comparisons < 0 || options.comparisons > 100) {
    throw UsageError("the comparisons must be between 0 and 100, got {}", options.comparisons);
  }
  std::vector<TastingNote> notes;
  notes.reserve(static_cast<size_t>(options.count));
  for (int64_t i = 0; i < options.count; ++i) notes.push_back(make_note(options, i));
  return notes;
}

std::string to_jsonl(const TastingNote& note) {
  nlohmann::ordered_json line;
  line["id"] = note.id;
  line["text"] = note.text;
  for (size_t k = 0; k < kAspects.size(); ++k) {
    const std::string name = kAspects[k];
    const AspectRating& rating = note.aspects[k];
    line[name] = rating.label;
    line[name + "_score"] = rating.score;
    nlohmann::ordered_json spans = nlohmann::ordered_json::array();
    for (const CharSpan& span : rating.spans) spans.push_back({span.start, span.end});
    line[name + "_spans"] = std::move(spans);
  }
  return line.dump();
}

}  // namespace hardkuma
