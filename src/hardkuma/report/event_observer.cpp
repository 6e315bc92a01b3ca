#include "hardkuma/report/event_observer.h"

#include <map>
#include <string>

namespace hardkuma {

void EventObserver::on_epoch(const EpochReport& r) {
  if (!events_) events_.emplace(directory_);
  for (const TracedStep& step : r.trace) {
    events_->add(step.step, {{"rate/expected_train", step.rate},
                             {"rate/goal", step.goal},
                             {"rate/lambda", step.lambda}});
  }
  std::map<std::string, double> scalars = {{"loss/train", r.train_loss},
                                           {"loss/dev", r.dev.task_loss},
                                           {"learning_rate", r.learning_rate}};
  scalars[r.dev.regression ? "dev/mse" : "dev/accuracy"] = r.dev.metric;
  if (r.dev.gated) {
    scalars["rate/selected_dev"] = r.dev.selected_micro;
    scalars["rate/expected_dev"] = r.dev.expected;
  }
  if (r.dev.rationale.examples > 0) {
    scalars["rationale/precision"] = r.dev.rationale.precision();
    scalars["rationale/f1"] = r.dev.rationale.f1();
  }
  events_->add(r.steps, scalars);
}

}  // namespace hardkuma
