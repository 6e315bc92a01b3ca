#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hardkuma {

inline void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "where to compute: auto takes a GPU where there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
}

}  // namespace hardkuma
