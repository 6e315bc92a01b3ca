#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "hardkuma/common/workers.h"

namespace hardkuma {

inline void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "auto: a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
}

inline void add_workers_option(CLI::App& command, int64_t& workers) {
  command.add_option("--workers", workers, "threads; 0: one per core")
      ->check(CLI::Range(int64_t{0}, kMostWorkers))
      ->capture_default_str();
}

}  // namespace hardkuma
