#include "hardkuma/data/letter_runs.h"

#include <gtest/gtest.h>

namespace hardkuma {
namespace {

using Runs = std::vector<std::string>;

TEST(LetterRuns, AreThreeToFiveLettersWithTheEndsMarked) {
  EXPECT_EQ(letter_runs("Bad"), (Runs{"<ba", "bad", "ad>", "<bad", "bad>"}));
  EXPECT_EQ(letter_runs("a"), Runs{});
  EXPECT_EQ(letter_runs("ü!"), (Runs{"<ü!", "ü!>"}));
}

TEST(LetterRuns, AreShorterInScriptsWithoutSpacesAndNoneForNumbersAndMarks) {
  EXPECT_EQ(letter_runs("好吃"), (Runs{"好", "吃"}));
  EXPECT_EQ(letter_runs("東京都"), (Runs{"東", "京", "都", "東京", "京都"}));
  for (const char* word : {"", "2024", "...", "🍺"}) EXPECT_EQ(letter_runs(word), Runs{}) << word;
}

}  // namespace
}  // namespace hardkuma
