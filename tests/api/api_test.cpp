// The library as another program has it: nothing but include/hardkuma and the standard library.
#include <gtest/gtest.h>
#include <hardkuma/hardkuma.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

namespace fs = std::filesystem;

class Api : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "hardkuma-api-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(path_); }

  fs::path path_;
};

// A word that decides, among others.
std::vector<hardkuma::LabelledText> reviews(int count) {
  const char* fillers[] = {"the", "beer", "was", "poured", "here", "today", "by", "us"};
  std::vector<hardkuma::LabelledText> out;
  for (int i = 0; i < count; ++i) {
    const bool good = i * 7 % 11 < 5;
    std::string text = "Review " + std::to_string(i);
    for (int t = 0; t < 8; ++t) {
      text +=
          std::string(" ") + (t == i % 8 ? (good ? "lovely" : "dreadful") : fillers[(i + t) % 8]);
    }
    out.push_back({text, good ? "good" : "bad"});
  }
  return out;
}

hardkuma::TrainOptions quick() {
  hardkuma::TrainOptions options;
  options.device = "cpu";
  options.settings = {{"objective.target", "15%"},
                      {"model.hidden", "16"},
                      {"model.embedding", "16"},
                      {"train.epochs", "12"},
                      {"train.workers", "2"}};
  return options;
}

struct Watch : hardkuma::Observer {
  void on_step(const hardkuma::StepReport& report) override {
    ++steps;
    if (stop_after > 0 && steps == stop_after) stop = true;
    EXPECT_GT(report.steps, 0);
  }
  void on_epoch(const hardkuma::EpochSummary& epoch) override { epochs.push_back(epoch); }
  int steps = 0;
  int stop_after = 0;
  std::atomic<bool> stop{false};
  std::vector<hardkuma::EpochSummary> epochs;
};

TEST_F(Api, TrainsFromMemoryAndExplains) {
  Watch watch;
  hardkuma::TrainOptions options = quick();
  options.observer = &watch;
  const hardkuma::TrainResult result = hardkuma::train(reviews(400), path_ / "m", options);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(watch.epochs.size(), 12u);
  ASSERT_EQ(result.splits.size(), 2u);
  EXPECT_EQ(result.splits[1].name, "test");
  EXPECT_GT(result.splits[1].evaluation.metric, 0.9);
  EXPECT_TRUE(fs::exists(path_ / "m" / "report.html"));

  const hardkuma::Model model(path_ / "m");
  EXPECT_EQ(model.labels(), (std::vector<std::string>{"bad", "good"}));
  EXPECT_TRUE(model.selects_words());
  EXPECT_FALSE(model.reads_pairs());
  const hardkuma::Explanation e = model.explain("The beer was dreadful today");
  EXPECT_EQ(e.label, "bad");
  EXPECT_NE(hardkuma::highlighted(e, false).find("[dreadful"), std::string::npos);
  EXPECT_NE(hardkuma::to_json_line(e).find("\"rationale\""), std::string::npos);
  EXPECT_EQ(model.explain_all(std::vector<std::string>{"lovely beer", "dreadful beer"})[0].label,
            "good");
  EXPECT_EQ(hardkuma::explain({&model, &model}, "lovely beer").size(), 2u);
}

TEST_F(Api, TrainsFromAFileAndEvaluates) {
  const std::string file = (path_ / "reviews.csv").string();
  {
    std::ofstream out(file);
    out << "text,label\n";
    for (const auto& review : reviews(300)) out << review.text << "," << review.label << "\n";
  }
  const hardkuma::TrainResult result = hardkuma::train(file, path_ / "m", quick());
  hardkuma::Model model(path_ / "m");
  const hardkuma::Evaluation test = model.evaluate(file, "test");
  EXPECT_EQ(test.examples, result.splits[1].evaluation.examples);
  EXPECT_NEAR(test.metric, result.splits[1].evaluation.metric, 1e-9);
  EXPECT_LT(test.metric_low, test.metric_high + 1e-9);
  model.set_budget(0.5);
  EXPECT_NEAR(model.evaluate(file, "test").selected_micro, 0.5, 0.06);
  EXPECT_THROW(model.set_budget(0.0), hardkuma::Error);
}

TEST_F(Api, AStoppedTrainingGoesOnToTheSameModel) {
  const auto bytes = [&](const char* name) {
    std::ifstream in(path_ / name / "model.safetensors", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  hardkuma::train(reviews(200), path_ / "whole", quick());
  Watch watch;
  watch.stop_after = 40;
  hardkuma::TrainOptions options = quick();
  options.observer = &watch;
  options.stop = &watch.stop;
  EXPECT_FALSE(hardkuma::train(reviews(200), path_ / "cut", options).finished);
  hardkuma::TrainOptions on;
  on.device = "cpu";
  on.resume = true;
  EXPECT_TRUE(hardkuma::train(reviews(200), path_ / "cut", on).finished);
  EXPECT_EQ(bytes("cut"), bytes("whole"));
  // Once more: it is finished, and says what it came to.
  EXPECT_EQ(hardkuma::train(reviews(200), path_ / "cut", on).splits.size(), 2u);
  // Other data is not what it was begun on.
  EXPECT_THROW(hardkuma::train(reviews(201), path_ / "cut", on), hardkuma::Error);
}

TEST_F(Api, ManyThreadsShareAModel) {
  hardkuma::train(reviews(200), path_ / "m", quick());
  const hardkuma::Model model(path_ / "m");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const bool good = (i + t) % 2 == 0;
        const auto e = model.explain(good ? "a lovely beer" : "a dreadful beer");
        right += (e.label == "good") == good ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

TEST_F(Api, EverythingThrowsErrorWithOneLine) {
  const auto message = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const hardkuma::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { hardkuma::Model("/no/such/model"); }).find("/no/such/model"),
            std::string::npos);
  EXPECT_NE(message([&] { hardkuma::train("/no/such.csv", path_ / "m"); }).find("/no/such.csv"),
            std::string::npos);
  EXPECT_NE(message([&] { hardkuma::train(reviews(0), path_ / "m"); }).find("no texts"),
            std::string::npos);
  hardkuma::TrainOptions unknown = quick();
  unknown.settings["train.epoch"] = "3";
  EXPECT_NE(message([&] {
              hardkuma::train(reviews(50), path_ / "m", unknown);
            }).find("did you mean \"train.epochs\"?"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(path_ / "m"));
  std::vector<hardkuma::LabelledText> outside = reviews(50);
  outside[3].gold = {{3, 9999}};
  EXPECT_NE(message([&] { hardkuma::train(outside, path_ / "m", quick()); }).find("memory:4: gold"),
            std::string::npos);
  std::vector<hardkuma::LabelledText> pair = reviews(50);
  pair[0].second = "another";
  EXPECT_NE(message([&] { hardkuma::train(pair, path_ / "m", quick()); }).find("a second text"),
            std::string::npos);
  hardkuma::TrainOptions column = quick();
  column.settings["data.text"] = "body";
  EXPECT_NE(message([&] { hardkuma::train(reviews(50), path_ / "m", column); }).find("\"body\""),
            std::string::npos);
  hardkuma::TrainOptions nowhere = quick();
  nowhere.device = "gpu";
  EXPECT_NE(message([&] {
              hardkuma::train(reviews(50), path_ / "m", nowhere);
            }).find("unknown device \"gpu\""),
            std::string::npos);
  EXPECT_NE(message([&] { hardkuma::explain({nullptr}, "x"); }).find("no model"),
            std::string::npos);
  hardkuma::TrainOptions preset;
  preset.preset = "sstt";
  EXPECT_NE(message([&] { hardkuma::train(reviews(50), path_ / "m", preset); }).find("sst"),
            std::string::npos);
}

}  // namespace
