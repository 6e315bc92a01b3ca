#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace hardkuma {

/// Scalars for TensorBoard in events.out.tfevents.*: a new file each time a run starts or resumes,
/// complete after each step.
class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& directory);

  void add(int64_t step, const std::map<std::string, double>& scalars);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write_record(std::string_view event);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> out_{nullptr, std::fclose};
};

/// CRC-32C (Castagnoli), which frames its records.
uint32_t crc32c(std::string_view bytes);

}  // namespace hardkuma
