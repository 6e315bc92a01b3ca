#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

namespace hardkuma {

/// Scalars for TensorBoard: a file of its own for each time a run is started or resumed,
/// events.out.tfevents.*, complete after each step.
class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& directory);

  void add(int64_t step, const std::map<std::string, double>& scalars);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write_record(std::string_view event);

  std::filesystem::path path_;
  std::ofstream out_;
};

/// CRC-32C (Castagnoli), which frames its records.
uint32_t crc32c(std::string_view bytes);

}  // namespace hardkuma
