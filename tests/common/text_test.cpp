#include "hardkuma/common/text.h"

#include <gtest/gtest.h>

namespace hardkuma {
namespace {

TEST(Text, FindsBrokenUtf8) {
  EXPECT_EQ(invalid_utf8("plain"), std::string_view::npos);
  EXPECT_EQ(invalid_utf8("naïve 日本 🍺"), std::string_view::npos);
  EXPECT_EQ(invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(invalid_utf8("ab\xc3"), 2u);
  EXPECT_EQ(invalid_utf8("\xed\xa0\x80"), 0u);  // a surrogate
  EXPECT_EQ(invalid_utf8("\xc0\xaf"), 0u);      // an overlong form
}

TEST(Text, CountsCodePoints) {
  EXPECT_EQ(count_code_points("a🍺é"), 3);
  const auto points = code_points("a🍺é");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1].value, 0x1f37a);
  EXPECT_EQ(points[2].byte, 5);
}

TEST(Text, ParsesWholeNumbersOnly) {
  double value = 0;
  EXPECT_TRUE(parse_number(" 0.25 ", value));
  EXPECT_EQ(value, 0.25);
  EXPECT_TRUE(parse_number("+3", value));
  EXPECT_TRUE(parse_number("1e-3", value));
  for (const char* bad : {"", "x", "1x", "1,5", "nan", "inf", "0x10", "--1"})
    EXPECT_FALSE(parse_number(bad, value)) << bad;
}

TEST(Text, LowerCasesUnicode) {
  EXPECT_EQ(lower_case("ÄPFEL Straße"), "äpfel straße");
}

TEST(Text, SuggestsOnlyNearWords) {
  const std::vector<std::string> words = {"train.epochs", "train.batch", "model.hidden"};
  EXPECT_EQ(nearest("train.epoch", words), "train.epochs");
  EXPECT_EQ(nearest("zebra", words), "");
  EXPECT_EQ(did_you_mean("model.hiden", words), "; did you mean \"model.hidden\"?");
}

TEST(Text, FormatsForPeople) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-1000), "-1,000");
  EXPECT_EQ(short_duration(59.4), "59s");
  EXPECT_EQ(short_duration(200), "3m 20s");
  EXPECT_EQ(short_duration(7300), "2h 01m");
  EXPECT_EQ(quotable("a\nb\x01", 10), "a?b␁");
  EXPECT_EQ(quotable("éééé", 2), "éé…");
}

TEST(Text, HashesLikeFnv1a) {
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_text("b", hash_text("a")), hash_text("ab"));
}

TEST(Text, TrimsAndMatchesEndings) {
  EXPECT_EQ(trim("  a b\r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_TRUE(ends_with_ignore_case("DATA.CSV", ".csv"));
  EXPECT_FALSE(ends_with_ignore_case("v", ".csv"));
}

TEST(Text, PunctuationIsNeitherWordsNorSymbols) {
  for (const char* text : {".", "...", "--", "“", "¿", "(!)"}) EXPECT_TRUE(is_punctuation(text));
  for (const char* text : {"", "a", "a.", "9", "é", "🍺", "$", "+", "7-9"}) {
    EXPECT_FALSE(is_punctuation(text)) << text;
  }
}

TEST(Text, RoundsToSixDigits) {
  EXPECT_EQ(rounded(0.12345678), 0.123457);
  EXPECT_EQ(rounded(-1234567.0), -1234570.0);
  EXPECT_EQ(rounded(1e-310), 1e-310);  // below the normal numbers
  EXPECT_EQ(rounded(0.0), 0.0);
}

TEST(Text, ControlCharactersBecomePictures) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a␛[31mb");
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable("\r\x7f"), "␍␡");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "�31m");  // a terminal takes U+009B for ESC [
  EXPECT_EQ(printable("é\xc2\xa0日"), "é\xc2\xa0日");
  EXPECT_EQ(printable("\xc2"), "\xc2");
  EXPECT_EQ(quotable("a\nb\tc", 10), "a?b?c");
}

TEST(Wrapped, BreaksAtSpacesAndCountsNeitherBytesNorColours) {
  EXPECT_EQ(wrapped("one two three", 80), "one two three");
  EXPECT_EQ(wrapped("one two three", 7), "one two\n  three");
  EXPECT_EQ(wrapped("aa bb cc dd ee", 5, ""), "aa bb\ncc dd\nee");
  EXPECT_EQ(wrapped("éé éé éé", 5, ""), "éé éé\néé");
  EXPECT_EQ(wrapped("\x1b[30;43maa bb\x1b[0m cc", 5, ""), "\x1b[30;43maa bb\x1b[0m\ncc");
  EXPECT_EQ(wrapped("a\nbb cc", 4, "  "), "a\nbb\n  cc");
  EXPECT_EQ(wrapped("unbreakable word", 5, ""), "unbreakable\nword");
  EXPECT_EQ(wrapped("\x1b[1", 5), "\x1b[1");
  EXPECT_EQ(wrapped("", 5), "");
}

TEST(Text, NamesOfFilesComeBackWhateverTheirBytes) {
  for (const std::string name :
       {"a.csv", "日本.csv", "caf\xe9.csv", "50%\xff", "bytes:a", "bytes:%41", "", "\xe9", "a%4"}) {
    const std::string stored = storable_name(name);
    EXPECT_EQ(restored_name(stored), name) << stored;
    EXPECT_EQ(invalid_utf8(stored), std::string_view::npos) << stored;
  }
  EXPECT_EQ(storable_name("日本.csv"), "日本.csv");
  EXPECT_EQ(storable_name("caf\xe9.csv"), "bytes:caf%E9.csv");
}

}  // namespace
}  // namespace hardkuma
