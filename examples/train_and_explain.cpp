// Trains a model on a labelled file, unless the model exists, and explains a text with it:
//   train_and_explain reviews.csv reviews.model "The staff were kind, but the room smelled of
//   damp."
#include <hardkuma/hardkuma.h>

#include <cstdio>
#include <filesystem>

struct Progress : hardkuma::Observer {
  void on_epoch(const hardkuma::EpochSummary& epoch) override {
    std::fprintf(stderr, "epoch %ld of %ld: loss %.4f\n", epoch.epoch, epoch.epochs,
                 epoch.train_loss);
  }
};

int main(int argc, char** argv) try {
  if (argc != 4) return std::fputs("usage: train_and_explain DATA MODEL TEXT\n", stderr), 2;
  if (!std::filesystem::exists(argv[2])) {
    Progress progress;
    hardkuma::TrainOptions options;
    options.settings = {{"objective.target", "15%"}, {"train.epochs", "10"}};
    options.observer = &progress;
    hardkuma::train(argv[1], argv[2], options);
  }
  const hardkuma::Model model(argv[2]);
  const hardkuma::Explanation explanation = model.explain(argv[3]);
  std::puts(hardkuma::highlighted(explanation, /*colour=*/false).c_str());
  std::puts(hardkuma::to_json_line(explanation).c_str());
} catch (const hardkuma::Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
