#include "hardkuma/train/step_engine.h"

#include "hardkuma/train/recorded_steps.h"
#include "hardkuma/train/worker_steps.h"

namespace hardkuma {

std::unique_ptr<StepEngine> make_step_engine(EngineParts parts, Workers& workers, Peers& peers) {
  if (parts.model.on_gpu() && parts.model.recordable() && peers.count() == 1) {
    return std::make_unique<RecordedSteps>(std::move(parts));
  }
  return std::make_unique<WorkerSteps>(std::move(parts), workers, peers);
}

}  // namespace hardkuma
