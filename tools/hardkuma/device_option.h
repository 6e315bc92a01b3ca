#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hardkuma/nn/device.h"

namespace hardkuma {

inline void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "where to compute: auto takes a GPU where there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_flag_callback(
      "--tf32", [] { allow_tf32(); },
      "on a GPU: matrix products with factors of eleven bits, quicker and less exact");
}

}  // namespace hardkuma
