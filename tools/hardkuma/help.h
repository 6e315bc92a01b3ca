#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace hardkuma {

/// `--help` in 80 columns: names to the left, descriptions wrapped beside them.
std::shared_ptr<CLI::Formatter> help_formatter();

/// The values that an option takes, from a type name such as "TEXT:{auto,cpu,cuda}"; none: any.
std::vector<std::string> values_of(const CLI::Option& option);

/// "-o,--out TEXT".
std::string names_and_type(const CLI::Option& option, bool is_positional);

/// "directory for the model [reviews.model]".
std::string description_with_default(const CLI::Option& option);

}  // namespace hardkuma
