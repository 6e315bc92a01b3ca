#include "hardkuma/data/labels.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

RawSplit split_with(const std::vector<std::string>& labels, bool numbers) {
  RawSplit split;
  split.path = "f.csv";
  for (const std::string& label : labels) {
    RawExample e;
    e.line = static_cast<int64_t>(split.examples.size()) + 2;
    e.label = label;
    e.label_is_number = numbers;
    split.examples.push_back(e);
  }
  return split;
}

// Keeps a temporary split alive for the call that looks at it.
const RawSplit& keep(const RawSplit& split) {
  return split;
}

TEST(Labels, FewWholeNumbersAreClassesInNumericOrder) {
  const TaskInfo task =
      find_task({&keep(split_with({"10", "2", "1", "2"}, true))}, TaskChoice::Auto);
  EXPECT_FALSE(task.regression);
  EXPECT_EQ(task.labels, (std::vector<std::string>{"1", "2", "10"}));
}

TEST(Labels, FractionsAreRegressedOnKeepingTheUnitScale) {
  const TaskInfo unit = find_task({&keep(split_with({"0.2", "0.9"}, true))}, TaskChoice::Auto);
  EXPECT_TRUE(unit.regression);
  EXPECT_EQ(unit.low, 0.0);
  EXPECT_EQ(unit.high, 1.0);
  const RawSplit stars = split_with({"1.5", "4.5"}, true);
  const TaskInfo scaled = find_task({&stars}, TaskChoice::Auto);
  EXPECT_EQ(scaled.low, 1.5);
  EXPECT_DOUBLE_EQ(target_of(split_with({"3"}, true).examples[0], scaled, "f"), 0.5);
}

TEST(Labels, TheTaskCanBeForced) {
  EXPECT_TRUE(find_task({&keep(split_with({"1", "2"}, true))}, TaskChoice::Regression).regression);
  EXPECT_FALSE(
      find_task({&keep(split_with({"0.5", "0.25"}, true))}, TaskChoice::Classification).regression);
}

TEST(Labels, ManyWholeNumbersAreRegressedOn) {
  std::vector<std::string> labels;
  for (int i = 0; i < 30; ++i) labels.push_back(std::to_string(i));
  EXPECT_TRUE(find_task({&keep(split_with(labels, true))}, TaskChoice::Auto).regression);
  EXPECT_FALSE(find_task({&keep(split_with(labels, false))}, TaskChoice::Auto).regression);
}

TEST(Labels, AClassThatFellOutsideTrainIsKnown) {
  const RawSplit train = split_with({"a", "b"}, false);
  const RawSplit dev = split_with({"c"}, false);
  EXPECT_EQ(find_task({&train, &dev}, TaskChoice::Auto).labels.size(), 3u);
}

TEST(Labels, ASlipAmongNumbersIsNamedNotMadeAClass) {
  RawSplit scores = split_with({"0.5", "1.5", "2.5", "3.5", "4.5", "N/A"}, true);
  scores.examples.back().label_is_number = false;
  EXPECT_NE(message_of<InputError>([&] {
              find_task({&scores}, TaskChoice::Auto);
            }).find("f.csv:7: label \"N/A\" is not a number, but 5 others are"),
            std::string::npos);
  EXPECT_EQ(find_task({&scores}, TaskChoice::Classification).labels.size(), 6u);
}

TEST(Labels, WhatCannotBeLearnedIsRefused) {
  EXPECT_NE(message_of<InputError>([] {
              find_task({&keep(split_with({"a", "a"}, false))}, TaskChoice::Auto);
            }).find("every label is \"a\""),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] {
              find_task({&keep(split_with({"1", "x"}, false))}, TaskChoice::Regression);
            }).find("f.csv:3: label \"x\" is not a number"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] {
              find_task({&keep(split_with({"0.5", "0.5"}, true))}, TaskChoice::Auto);
            }).find("nothing to learn"),
            std::string::npos);
  const TaskInfo task = find_task({&keep(split_with({"a", "b"}, false))}, TaskChoice::Auto);
  EXPECT_NE(message_of<InputError>([&] {
              target_of(split_with({"c"}, false).examples[0], task, "g.csv");
            }).find("g.csv:2: label \"c\" does not occur in training (there: a, b)"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
