// metrics.jsonl of a run, which reports are drawn from.
#include <filesystem>

#include "fuzz/fuzz.h"
#include "hardkuma/train/epoch_report.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = fuzz::as_file("metrics.jsonl", data, size);
  return fuzz::read_or_refuse([&] { metrics_text(read_metrics(path.parent_path())); });
}
