#include "hardkuma/train/measured_part.h"

#include <filesystem>

#include "hardkuma/common/error.h"
#include "hardkuma/train/run_directory.h"

namespace hardkuma {

MeasuredPart choose_part(const std::string& data, const std::string& part, const std::string& model,
                         const DataOptions& options) {
  if (!std::filesystem::exists(data)) throw InputError("{}: no such file or directory", data);
  if (!std::filesystem::is_directory(data) && part.empty()) {
    RawPart records = read_part(data, options);
    const bool seen = trained_on(model, records.fingerprint);
    return {"all", std::move(records),
            seen ? "the model was trained on texts of this file; --part test measures those it "
                   "never saw"
                 : ""};
  }
  RawDataset dataset = read_dataset(data, options);
  const std::string name = !part.empty() ? part : dataset.parts.contains("test") ? "test" : "dev";
  if (!dataset.parts.contains(name)) throw InputError("{}: no {} part; try --part dev", data, name);
  return {name, std::move(dataset.parts.at(name)), ""};
}

}  // namespace hardkuma
