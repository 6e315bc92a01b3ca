#include "hardkuma/common/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

std::string nested(int levels) {
  return std::string(static_cast<size_t>(levels), '[') +
         std::string(static_cast<size_t>(levels), ']');
}

TEST(Json, NestingHasALimit) {
  EXPECT_TRUE(parse_json(nested(kDeepestJson), "a").is_array());
  EXPECT_TRUE(try_parse_json(nested(kDeepestJson + 1)).is_discarded());
  EXPECT_EQ(message_of<InputError>([] { parse_json(nested(80000), "a.jsonl:3"); }),
            "a.jsonl:3: JSON that is nested more than 100 levels deep");
  std::string objects;
  for (int i = 0; i < 80000; ++i) objects += "{\"a\":";
  EXPECT_THROW(parse_json(objects, "a"), InputError);
}

// A line of 8 MB holds 700,000 names; looking for each among all before it would take minutes.
TEST(Json, AnyNumberOfNamesIsReadInGoodTime) {
  std::string line = "{";
  for (int i = 0; i < 300000; ++i) line += "\"" + std::to_string(i) + "\":1,";
  line.back() = '}';
  EXPECT_EQ(parse_json<nlohmann::json>(line, "a").size(), 300000u);
}

TEST(Json, BracketsInTextAreNoNesting) {
  const std::string many(1000, '[');
  EXPECT_EQ(parse_json("\"" + many + "\"", "a").get<std::string>(), many);
  EXPECT_EQ(parse_json("\"\\\"" + many + "\\\\\"", "a").get<std::string>(), "\"" + many + "\\");
  EXPECT_EQ(parse_json("[" + std::string(nested(1)) + ",[],[]]", "a").size(), 3u);
}

TEST(Json, WhatIsNotValidIsNamed) {
  EXPECT_EQ(message_of<InputError>([] { parse_json("{", "a.jsonl:3"); }),
            "a.jsonl:3: not valid JSON");
  EXPECT_TRUE(try_parse_json("").is_discarded());
}

}  // namespace
}  // namespace hardkuma
