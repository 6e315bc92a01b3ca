#include "hardkuma/train/step_engine.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "hardkuma/model/make_model.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/prepare.h"

namespace hardkuma {
namespace {

// What two processes would send each other, between two threads: everyone puts down what is theirs
// and waits for all.
class Table {
 public:
  template <typename T>
  struct Places {
    std::vector<T> now = std::vector<T>(2);
    std::vector<T> complete;  // of the last round; the next cannot end before all have it
  };

  template <typename T>
  std::vector<T> exchange(Places<T>& places, int64_t rank, T own) {
    std::unique_lock lock(mutex_);
    places.now[static_cast<size_t>(rank)] = std::move(own);
    const int round = round_;
    if (++arrived_ == 2) {
      arrived_ = 0;
      ++round_;
      places.complete = places.now;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return round_ != round; });
    }
    return places.complete;
  }

  Places<MeasuredStep> steps;
  Places<double> numbers;
  Places<std::vector<Gradients>> gradients;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  int round_ = 0;
};

class TwoPeers final : public Peers {
 public:
  TwoPeers(Table& table, int64_t rank) : table_(table), rank_(rank) {}

  int64_t count() const override { return 2; }
  int64_t rank() const override { return rank_; }
  void add_up(MeasuredStep& step) override {
    MeasuredStep sum;
    for (const MeasuredStep& one : table_.exchange(table_.steps, rank_, step)) {
      sum.task += one.task;
      sum.rate += one.rate;
      sum.transitions += one.transitions;
    }
    step = sum;
  }
  void add_up(double& number) override {
    double sum = 0.0;
    for (const double one : table_.exchange(table_.numbers, rank_, number)) sum += one;
    number = sum;
  }
  void collect(std::vector<Gradients>& gradients) override {
    std::vector<Gradients> all;
    for (const auto& lists : table_.exchange(table_.gradients, rank_, gradients)) {
      all.insert(all.end(), lists.begin(), lists.end());
    }
    gradients = all;
  }

 private:
  Table& table_;
  int64_t rank_;
};

struct Trained {
  std::vector<MeasuredStep> measured;
  std::vector<double> costs;  // REINFORCE's
  std::map<std::string, at::Tensor> weights;
};

struct Small {
  explicit Small(ModelKind kind) {
    config.model.kind = kind;
    config.model.hidden = 8;
    config.model.embedding = 8;
    prepared = prepare(tasting_dataset({"look", 60, 1}), config);
  }

  Trained train(int64_t worker_count, Peers& peers) const {
    const auto model = make_model(config, prepared.embedding.clone());
    const auto workers = tensor_workers(worker_count);
    Adam adam(model->trained_parameters(), 1e-6);
    const std::vector<Example>& set = prepared.split("train");
    const auto engine =
        make_step_engine({*model, set, adam, model->trained_parameters(), 1, 5.0}, *workers, peers);
    Trained out;
    for (uint64_t step = 0; step < 5; ++step) {
      const auto batches = training_batches(set, 13, RandomKey(step));
      out.measured.push_back(engine->measure({batches[0], RandomKey(9).with(step), Gates::Drawn}));
      Objective objective;
      objective.constrained = model->gated();
      objective.weights = {out.measured.back().rate, 0.1, 1.0};
      objective.baseline = out.costs.empty() ? 0.0 : out.costs.back();
      out.costs.push_back(engine->mean_cost(objective));
      EXPECT_TRUE(engine->apply(objective, 0.01));
    }
    out.weights = named_weights(*model);
    return out;
  }

  Config config;
  Prepared prepared;
};

// The seam for several machines: two processes of one worker are one process of two, to the bit.
class StepEngines : public testing::TestWithParam<ModelKind> {};

TEST_P(StepEngines, TwoPeersAreAsTwoWorkers) {
  const Small small(GetParam());
  Peers alone;
  const Trained one = small.train(2, alone);
  Table table;
  Trained two[2];
  std::thread other([&] {
    TwoPeers peers(table, 1);
    two[1] = small.train(1, peers);
  });
  TwoPeers peers(table, 0);
  two[0] = small.train(1, peers);
  other.join();
  for (const Trained& peer : two) {
    ASSERT_EQ(peer.measured.size(), one.measured.size());
    for (size_t i = 0; i < one.measured.size(); ++i) {
      EXPECT_EQ(peer.measured[i].task, one.measured[i].task);
      EXPECT_EQ(peer.measured[i].rate, one.measured[i].rate);
      EXPECT_EQ(peer.costs[i], one.costs[i]);
    }
    for (const auto& [name, weight] : one.weights) {
      EXPECT_TRUE(at::equal(peer.weights.at(name), weight)) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, StepEngines,
                         testing::Values(ModelKind::HardKuma, ModelKind::Bernoulli,
                                         ModelKind::FullText));

TEST(Objective, EachTermHasItsWeightAndNothingElse) {
  Objective objective;
  objective.scale = 4.0;
  objective.weights = {2.0, 3.0, 5.0};
  EXPECT_EQ(weight_of(Term::Task, objective), 0.25);
  EXPECT_EQ(weight_of(Term::Rate, objective), std::nullopt);  // not constrained
  objective.constrained = true;
  EXPECT_EQ(weight_of(Term::Rate, objective), 2.0);
  EXPECT_EQ(weight_of(Term::Transitions, objective), 3.0);
  EXPECT_EQ(weight_of(Term::Bounds, objective), 5.0);
  TrainingTerms terms;
  terms.task = at::scalar_tensor(8.0);
  terms.rate = at::scalar_tensor(0.5);
  terms.transitions = at::scalar_tensor(0.25);
  terms.bounds = at::scalar_tensor(2.0);
  EXPECT_EQ(loss_of(terms, objective).item<double>(), 8.0 / 4 + 0.5 * 2 + 0.25 * 3 + 2.0 * 5);
  objective.counted = true;  // by REINFORCE alone
  EXPECT_EQ(loss_of(terms, objective).item<double>(), 8.0 / 4 + 2.0 * 5);
}

}  // namespace
}  // namespace hardkuma
