#include "hardkuma/train/prepare.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

TEST(Prepare, RareWordsAreUnknownAndCaseIsPooled) {
  const TempDirectory dir;
  dir.write("train.csv", "text,label\nGood good beer,1\nbad beer Rare,0\nGreat bad,0\ngreat,1\n");
  dir.write("dev.csv", "text,label\ngood unseen,1\n");
  Config config;
  const Prepared p = prepare(dir.path().string(), config);
  EXPECT_NE(p.vocabulary.find("beer"), 0);
  EXPECT_NE(p.vocabulary.find("good"), 0);  // once each way
  EXPECT_NE(p.vocabulary.find("Great"), 0);
  EXPECT_EQ(p.vocabulary.find("rare"), 0);
  EXPECT_EQ(p.split("dev")[0].words[1], 0);
  EXPECT_EQ(p.embedding.size(0), p.vocabulary.size());
  EXPECT_EQ(config.task.labels, (std::vector<std::string>{"0", "1"}));
}

TEST(Prepare, VectorsCoverExactThenLowerThenUnknown) {
  const TempDirectory dir;
  dir.write("train.csv", "text,label\nThe beer ( zzz,1\nthe beer,0\n");
  dir.write("dev.csv", "text,label\nwine,1\n");
  Config config;
  config.data.vectors = dir.write("v.txt", "the 1 2\nbeer 3 4\n( 5 6\nwine 7 8\nother 9 9\n");
  config.data.extra_vectors = 0;
  const Prepared p = prepare(dir.path().string(), config);
  EXPECT_EQ(p.coverage.tokens, 6);
  EXPECT_EQ(p.coverage.exact, 4);
  EXPECT_EQ(p.coverage.lower, 1);
  EXPECT_EQ(p.coverage.unknown, 1);
  EXPECT_EQ(p.vocabulary.find("wine"), 0);  // not a training word, and no extra was asked for
  EXPECT_EQ(p.embedding[p.vocabulary.find("beer")][1].item<float>(), 4.0f);
  EXPECT_EQ(p.embedding[0].abs().sum().item<float>(), 0.0f);
  config.data.extra_vectors = 4;
  EXPECT_NE(prepare(dir.path().string(), config).vocabulary.find("wine"), 0);
  config.data.vectors = dir.write("w.txt", "nothing 1 2\n");
  config.data.extra_vectors = 0;
  EXPECT_NE(message_of<InputError>([&] {
              prepare(dir.path().string(), config);
            }).find("no word of the data"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
