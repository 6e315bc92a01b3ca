#include "hardkuma/train/measured_split.h"

#include <filesystem>

#include "hardkuma/common/error.h"
#include "hardkuma/train/run_directory.h"

namespace hardkuma {

MeasuredSplit choose_split(const std::string& data, const std::string& split,
                           const std::string& model, const DataOptions& options) {
  if (!std::filesystem::exists(data)) throw InputError("{}: no such file or directory", data);
  if (!std::filesystem::is_directory(data) && split.empty()) {
    RawSplit records = read_split(data, options);
    const bool seen = trained_on(model, records.fingerprint);
    return {"all", std::move(records),
            seen ? "the model was trained on texts of this file; --split test measures those it "
                   "never saw"
                 : ""};
  }
  RawDataset dataset = read_dataset(data, options);
  const std::string name = !split.empty()                    ? split
                           : dataset.splits.contains("test") ? "test"
                                                             : "dev";
  if (!dataset.splits.contains(name))
    throw InputError("{}: no {} split; try --split dev", data, name);
  return {name, std::move(dataset.splits.at(name)), ""};
}

}  // namespace hardkuma
