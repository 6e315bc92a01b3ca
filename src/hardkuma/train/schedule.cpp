#include "hardkuma/train/schedule.h"

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

std::vector<int64_t> parse_milestones(std::string_view text) {
  std::vector<int64_t> out;
  while (!trim(text).empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    double value = 0.0;
    if (!parse_number(text.substr(0, comma), value) || value < 1 || value != std::floor(value)) {
      throw InputError("setting train.milestones must be epochs like \"10,15\", got \"{}\"",
                       quotable(text));
    }
    out.push_back(static_cast<int64_t>(value));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

}  // namespace

Schedule::Schedule(const Config::Train& options)
    : options_(options),
      milestones_(parse_milestones(options.milestones)),
      rate_(options.learning_rate) {}

void Schedule::epoch_done(int64_t epoch, double dev_loss, bool settled) {
  bool drop = options_.schedule == "exponential";
  if (options_.schedule == "multistep") {
    drop = std::find(milestones_.begin(), milestones_.end(), epoch) != milestones_.end();
  }
  if (options_.schedule == "plateau" && settled) {
    const bool better = waited_ < 0 || dev_loss < best_ * (1.0 - 1e-4);
    if (better) best_ = dev_loss;
    waited_ = better ? 0 : waited_ + 1;
    drop = waited_ > options_.patience;
    if (drop) waited_ = 0;
  }
  if (drop) rate_ = std::max(rate_ * options_.decay, std::min(rate_, options_.min_learning_rate));
}

void Schedule::load(const State& state) {
  rate_ = state.rate;
  best_ = state.best;
  waited_ = state.waited;
}

}  // namespace hardkuma
