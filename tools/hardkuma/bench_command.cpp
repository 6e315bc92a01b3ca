#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "commands.h"
#include "hardkuma/common/clock.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/data/vocabulary.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/model/predictor.h"
#include "hardkuma/model/rationale_model.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/nn/linear.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/train/trainer.h"
#include "machine_options.h"
#include "message.h"
#include "output.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int64_t kVocabulary = 20000;
constexpr int64_t kDeviceExamples = 10;  // times as many on a GPU

struct BenchArguments {
  std::string shape = "all";
  std::string task = "all";
  std::string json;
  int64_t rounds = 3;
  int64_t workers = 0;
  std::string device = "cpu";
  bool tf32 = false;
};

/// The sizes of one of the paper's experiments. Words are random, which takes the same time.
struct Shape {
  std::string name;
  std::string what;
  int64_t examples;   // to train on
  int64_t predicted;  // size of its test or held-out split
  int64_t shortest;   // lengths are uniform between these
  int64_t longest;
  int64_t width;
  double selected;  // share of z that is not zero
  Config config;
  int64_t second_shortest = 0;  // of pairs: the second text's
  int64_t second_longest = 0;

  bool pairs() const { return second_longest > 0; }
};

Shape sst_shape() {
  Shape shape{"sst", "BiLSTM 150, 300-d, batch 25", 1000, 2210, 3, 35, 300, 0.40, {}};
  shape.config.model.hidden = 150;
  shape.config.model.dropout = 0.5;
  shape.config.train.batch = 25;
  shape.config.objective.target = shape.selected;
  shape.config.task.labels = {"0", "1", "2", "3", "4"};
  return shape;
}

Shape beer_shape() {
  Shape shape{"beer", "BiRCNN 200, dependent z, 200-d, batch 256", 512, 10000, 45, 245, 200, 0.13,
              {}};
  shape.config.model.hidden = 200;
  shape.config.model.encoder = EncoderKind::Rcnn;
  shape.config.model.dependent = true;
  shape.config.train.batch = 256;
  shape.config.objective.target = shape.selected;
  shape.config.objective.lasso = 0.02;
  shape.config.task.regression = true;
  return shape;
}

// As published, so that the peer computes the same. Lengths are without NULL.
Shape snli_shape() {
  Shape shape{
      "snli", "attention 200, HardKuma cells, 300-d, batch 64", 2560, 9842, 5, 23, 300, 0.10, {}};
  shape.second_shortest = 4;
  shape.second_longest = 12;
  shape.config.model.kind = ModelKind::PairHardKuma;
  shape.config.model.hidden = 200;
  shape.config.model.links = Links::None;
  shape.config.model.shapes = Shapes::Relu;
  shape.config.train.batch = 64;
  shape.config.objective.target = shape.selected;
  shape.config.task.labels = {"contradiction", "entailment", "neutral"};
  return shape;
}

// The same work at every step: no warm-up, and a learning rate at which weights do not change.
Config bench_config(Config config, int64_t epochs, int64_t workers) {
  config.data.vectors = "random";  // fixed, as the paper's are
  config.controller.name = ControllerKind::Paper;
  config.train.learning_rate = 1e-12;
  config.train.epochs = epochs;
  config.train.workers = workers;
  return config;
}

std::vector<int32_t> random_words(int64_t shortest, int64_t longest, RandomKey key) {
  std::vector<int32_t> out;
  const auto span = static_cast<uint64_t>(longest - shortest + 1);
  const auto length = static_cast<uint64_t>(shortest) + key.below(span);
  for (uint64_t t = 0; t < length; ++t) {
    // Zipf's law: the k-th most common word has a probability proportional to 1/k.
    const double rank = std::pow(static_cast<double>(kVocabulary), key.with(t).uniform_double());
    out.push_back(static_cast<int32_t>(rank) % static_cast<int32_t>(kVocabulary));
  }
  return out;
}

std::vector<Example> random_texts(const Shape& shape, int64_t count) {
  std::vector<Example> out(static_cast<size_t>(count));
  const RandomKey key(7);
  for (size_t i = 0; i < out.size(); ++i) {
    const RandomKey example = key.with(i);
    out[i].words = random_words(shape.shortest, shape.longest, example);
    out[i].is_pair = shape.pairs();
    if (shape.pairs()) {
      out[i].second.words =
          random_words(shape.second_shortest, shape.second_longest, example.with(1u << 20));
    }
    const RandomKey label = example.with(out[i].words.size());
    out[i].target = shape.config.task.regression
                        ? static_cast<double>(label.below(5)) / 4.0
                        : static_cast<double>(label.below(shape.config.task.labels.size()));
  }
  return out;
}

at::Tensor random_vectors(int64_t width) {
  return uniform_tensor({kVocabulary, width}, 0.5, RandomKey(5));
}

// Sets the gate's bias so that the wanted share of z is not zero, sampled or decided. The time for
// pairs does not depend on how many cells are open.
double set_selected(TextModel& model, const std::vector<Example>& texts, double wanted,
                    bool sampled) {
  if (texts[0].is_pair) return wanted;
  const at::NoGradGuard no_grad;
  std::vector<int64_t> some;
  for (int64_t i = 0; i < std::min<int64_t>(64, static_cast<int64_t>(texts.size())); ++i) {
    some.push_back(i);
  }
  Batch batch = pack(texts, some);
  if (model.on_gpu()) batch = batch.to(model.device());
  at::Tensor bias;
  for (auto& item : model.named_parameters()) {
    if (item.key() == "gate.shapes.bias") bias = item.value();
  }
  double low = -8.0;
  double high = 8.0;
  double share = 0.0;
  bias[0] = -1.5;
  for (int i = 0; i < 14; ++i) {
    bias[1] = 0.5 * (low + high);
    if (sampled) {
      const TrainingTerms terms = model.train_forward(batch, RandomKey(1), 1, Gates::Drawn);
      share = terms.rate.item<double>() / static_cast<double>(batch.examples());
    } else {
      share = (model.predict(batch).z > 0).to(at::kFloat).mean().item<double>();
    }
    (share > wanted ? low : high) = 0.5 * (low + high);  // a larger b selects less
  }
  return share;
}

/// Seconds of each whole epoch.
struct EpochClock : TrainObserver {
  Clock::time_point last = Clock::now();
  std::vector<double> seconds;
  void on_epoch(const EpochReport&) override {
    seconds.push_back(seconds_since(last));
    last = Clock::now();
  }
};

/// Floating-point operations of the matrix products that are actually computed: words that need no
/// product are left out, and at prediction equal words share their input projections.
struct Work {
  double predict = 0.0;
  double train = 0.0;
};

Work work_of_pairs(const Shape& shape, const std::vector<Example>& texts) {
  const double h = static_cast<double>(shape.config.model.hidden);
  double words = 0.0;
  double cells = 0.0;
  std::set<int32_t> distinct = {kNullWord};
  for (const Example& text : texts) {
    words += static_cast<double>(text.words.size() + text.second.words.size() + 2);
    cells += static_cast<double>(text.units());
    distinct.insert(text.words.begin(), text.words.end());
    distinct.insert(text.second.words.begin(), text.second.words.end());
  }
  const double layer = 2.0 * h * h;
  const double project = 2.0 * static_cast<double>(shape.width) * h;
  const double known =
      4.0 * layer + 2.0 * layer;  // first layers of all networks, second of a and b
  const double attend = cells * (2.0 + 2.0) * 2.0 * h;  // scores of a and b, sums both ways
  const double compare = words * layer;
  const double aggregate = static_cast<double>(texts.size()) * 3.0 * layer;
  Work work;
  work.predict =
      static_cast<double>(distinct.size()) * (project + known) + attend + compare + aggregate;
  // Without the projection: repeated words of a batch are projected once, and their number varies.
  work.train = words * 3.0 * known + 3.0 * (attend + compare + aggregate);
  return work;
}

Work work_of(const Shape& shape, double selected, const std::vector<Example>& texts) {
  if (shape.pairs()) return work_of_pairs(shape, texts);
  const bool rcnn = shape.config.model.encoder == EncoderKind::Rcnn;
  const double h = static_cast<double>(shape.config.model.hidden);
  const double d = static_cast<double>(shape.width);
  double words = 0.0;
  std::set<int32_t> distinct;
  for (const Example& text : texts) {
    words += static_cast<double>(text.words.size());
    distinct.insert(text.words.begin(), text.words.end());
  }
  const double read = words * selected;
  const double project = 2.0 * d * 2.0 * (rcnn ? 3.0 : 4.0) * h;
  const double recur = 2.0 * 2.0 * (rcnn ? 1.0 : 4.0) * h * h;
  const double units = static_cast<double>(RationaleModelOptions().chain_units);
  const double chain = shape.config.model.dependent  // an RCNN's, as the encoder's
                           ? 2.0 * 2.0 * h * (2.0 + 3.0 * units) + 2.0 * units * (2.0 + units)
                           : 2.0 * 2.0 * h * 2.0;
  const double stepped = rcnn ? read : words;  // where the classifier's recurrence runs
  Work work;
  work.predict = words * (recur + chain) + stepped * recur +
                 2.0 * static_cast<double>(distinct.size()) * project;
  // Backward: one product more for an input map (its inputs are fixed), two for the others.
  work.train = words * (2.0 * project + 3.0 * recur + 3.0 * chain) + read * 2.0 * project +
               stepped * 3.0 * recur;
  return work;
}

struct Rate {
  double per_second = 0.0;  // examples
  double gflops = 0.0;
  int64_t kernels = 0;  // of a step on a GPU
  double waited = 0.0;  // for the GPU, share of the time
};

Rate bench_training(const Shape& shape, int64_t rounds, int64_t workers, at::Device device) {
  // For epochs of about a second.
  const std::vector<Example> texts =
      random_texts(shape, shape.examples * (device.is_cuda() ? kDeviceExamples : 1));
  const Config config = bench_config(shape.config, rounds + 1, workers);
  const auto model = make_model(config, random_vectors(shape.width));
  model->to(device);
  const double selected = set_selected(*model, texts, shape.selected, /*sampled=*/true);
  EpochClock clock;
  const TrainOutcome outcome =
      train_network({config, texts, {texts.front()}, model, nullptr, &clock});
  const double best = *std::min_element(clock.seconds.begin() + 1, clock.seconds.end());
  return {static_cast<double>(texts.size()) / best,
          work_of(shape, selected, texts).train / best / 1e9, outcome.use.kernels,
          outcome.use.waited / std::accumulate(clock.seconds.begin(), clock.seconds.end(), 0.0)};
}

Rate bench_prediction(const Shape& shape, int64_t rounds, int64_t workers, at::Device device) {
  const std::vector<Example> texts = random_texts(shape, shape.predicted);
  const Config config = bench_config(shape.config, 1, workers);
  const auto model = make_model(config, random_vectors(shape.width));
  model->to(device);
  const double selected = set_selected(*model, texts, shape.selected, /*sampled=*/false);
  const auto team = tensor_workers(workers == 0 ? available_cores() : workers);
  double best = 1e30;
  for (int64_t round = 0; round <= rounds; ++round) {
    const Clock::time_point start = Clock::now();
    predict_all(*model, texts, *team);  // starts each round with an empty cache
    if (round > 0) best = std::min(best, seconds_since(start));
  }
  return {static_cast<double>(texts.size()) / best,
          work_of(shape, selected, texts).predict / best / 1e9};
}

// The speed of a GPU on large products, in float32 or TF32.
double device_gflops(at::Device device) {
  constexpr int64_t kSize = 8192;
  constexpr int64_t kRepeats = 8;
  const at::Tensor a = at::rand({kSize, kSize}, at::TensorOptions(device));
  double best = 1e30;
  for (int64_t round = 0; round < 4; ++round) {
    const Clock::time_point start = Clock::now();
    at::Tensor out;
    for (int64_t i = 0; i < kRepeats; ++i) out = at::mm(a, a);
    out[0][0].item<float>();  // waits for them
    best = std::min(best, seconds_since(start));
  }
  return 2.0 * kSize * kSize * kSize * kRepeats / best / 1e9;
}

// The total speed of the machine's cores, each on large products.
double gemm_gflops(int64_t workers) {
  const auto team = tensor_workers(workers == 0 ? available_cores() : workers);
  constexpr int64_t kSize = 1024;
  constexpr int64_t kRepeats = 4;
  constexpr int64_t kRounds = 6;
  double best = 1e30;
  std::vector<at::Tensor> in;
  for (int64_t w = 0; w < team->count(); ++w) in.push_back(at::ones({kSize, kSize}));
  for (int64_t round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    team->run([&](int64_t w) {
      const at::Tensor& a = in[static_cast<size_t>(w)];
      for (int64_t i = 0; i < kRepeats; ++i) at::mm(a, a);
    });
    best = std::min(best, seconds_since(start));
  }
  const double flops = 2.0 * kSize * kSize * kSize * kRepeats * static_cast<double>(team->count());
  return flops / best / 1e9;
}

/// A temporary directory that the destructor removes.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / "hardkuma-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw InputError("cannot make a directory like {}", name);
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Latency {
  double load_seconds = 0.0;
  double explain_ms = 0.0;  // median
};

// A model of the SST shape, saved and loaded as users do.
Latency bench_latency(int64_t workers) {
  const Shape shape = sst_shape();
  const Config config = bench_config(shape.config, 1, workers);
  const ScratchDirectory directory;
  Vocabulary vocabulary;
  for (int64_t i = 1; i < kVocabulary; ++i) vocabulary.add(fmt::format("word{}", i));
  const auto model = make_model(config, random_vectors(shape.width));
  DirectoryCommit commit(directory.path());
  add_settings(commit, config);
  add_vocabulary(commit, vocabulary);
  add_weights(commit, named_weights(*model));
  commit.finish({{"status", "finished"}});
  Latency out;
  Clock::time_point start = Clock::now();
  Explainer explainer(directory.path(), workers);
  out.load_seconds = seconds_since(start);
  std::vector<double> times;
  for (uint64_t i = 0; i < 300; ++i) {
    std::string text;
    for (uint64_t t = 0; t < 20; ++t) {
      text += fmt::format("word{} ", RandomKey(i).with(t).below(kVocabulary));
    }
    start = Clock::now();
    explainer.explain(text);
    times.push_back(seconds_since(start) * 1e3);
  }
  std::nth_element(times.begin(), times.begin() + 150, times.end());
  out.explain_ms = times[150];
  return out;
}

void run(const BenchArguments& args) {
  keep_freed_memory();
  if (args.shape == "products") return bench_products();
  Json out;
  const at::Device device = choose_device(args.device);
  if (args.tf32 && !device.is_cuda()) throw UsageError("--tf32 is for --device cuda");
  if (args.tf32) allow_tf32();
  out["tf32"] = args.tf32;
  const double gemm = device.is_cuda() ? device_gflops(device) : gemm_gflops(args.workers);
  out["device"] = device_name(device);
  out["gemm_gflops"] = gemm;
  const bool to_stdout = args.json == "-";
  const auto say = [&](const std::string& line) {
    if (!to_stdout) print("{}\n", line);
  };
  const int64_t cores = args.workers == 0 ? available_cores() : args.workers;
  const std::string where = device.is_cuda()
                                ? device_name(device)
                                : fmt::format("{} worker{}", cores, cores == 1 ? "" : "s");
  say(fmt::format("{}, large matrix products: {:.0f} GFLOP/s", where, gemm));
  say(fmt::format("{:<50}{:>14}{:>9}{:>14}{:>9}", "", "train ex/s", "of GEMM", "predict ex/s",
                  "of GEMM"));
  for (const Shape& shape : {sst_shape(), beer_shape(), snli_shape()}) {
    if (args.shape != "all" && args.shape != shape.name) continue;
    const bool both = args.task == "all";
    const Rate training = both || args.task == "train"
                              ? bench_training(shape, args.rounds, args.workers, device)
                              : Rate{};
    const Rate prediction = both || args.task == "predict"
                                ? bench_prediction(shape, args.rounds, args.workers, device)
                                : Rate{};
    const auto column = [&](const char* name, const Rate& rate) {
      if (rate.per_second == 0.0) return fmt::format("{:>14}{:>9}", "", "");
      out[shape.name][name] = rate.per_second;
      out[shape.name][std::string(name) + "_gflops"] = rate.gflops;
      const auto batch = static_cast<double>(shape.config.train.batch);
      if (std::string(name) == "train") out[shape.name]["step_ms"] = 1e3 * batch / rate.per_second;
      return fmt::format("{:>14.0f}{:>8.0f}%", rate.per_second, 100.0 * rate.gflops / gemm);
    };
    const std::string trained = column("train", training);
    say(fmt::format("{:<6}{:<44}{}{}", shape.name, shape.what, trained,
                    column("predict", prediction)));
    if (training.kernels > 0) {
      out[shape.name]["kernels"] = training.kernels;
      out[shape.name]["waited"] = training.waited;
      say(fmt::format(
          "{:<6}a step: {:.2f} ms, {} kernels in two launches; the processor waited for "
          "the GPU {:.0f}% of the run",
          "", out[shape.name]["step_ms"].get<double>(), training.kernels, 100.0 * training.waited));
    }
  }
  if ((args.shape == "all" && !device.is_cuda()) || args.shape == "latency") {
    const Latency latency = bench_latency(args.workers);
    out["latency"] = {{"load_s", latency.load_seconds}, {"explain_ms", latency.explain_ms}};
    say(
        fmt::format("a model with {} words loads in {:.2f} s; a 20-word sentence is explained in "
                    "{:.2f} ms (median)",
                    kVocabulary, latency.load_seconds, latency.explain_ms));
  }
  if (to_stdout) print("{}\n", out.dump());
  if (!args.json.empty() && !to_stdout) write_file(args.json, out.dump() + "\n");
}

}  // namespace

void add_bench(CLI::App& app, const CommandContext&) {
  auto args = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "speed of training and prediction, beside this machine's matrix products");
  command
      ->add_option("--shape", args->shape,
                   "one of the paper's experiments by its sizes, latency, products of matrices, or "
                   "all but products")
      ->check(CLI::IsMember({"all", "sst", "beer", "snli", "latency", "products"}))
      ->capture_default_str();
  command->add_option("--task", args->task, "train, predict or all")
      ->check(CLI::IsMember({"all", "train", "predict"}))
      ->capture_default_str();
  command->add_option("--rounds", args->rounds, "best of so many")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_device_option(*command, args->device);
  command->add_flag("--tf32", args->tf32, "on a GPU: TF32 matrix products");
  add_workers_option(*command, args->workers);
  command->add_option("--json", args->json, "write the numbers to a file, or - for stdout");
  command->callback([args] { run(*args); });
}

}  // namespace hardkuma
