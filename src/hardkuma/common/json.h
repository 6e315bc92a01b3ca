#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hardkuma {

/// Nothing that is read is nested deeper; deeper nesting would exhaust the stack.
constexpr int kDeepestJson = 100;

/// JSON from outside. What is not valid, or nested too deep, is an InputError that names `where`.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& where);

/// The same, but discarded (is_discarded()) instead.
nlohmann::ordered_json try_parse_json(std::string_view text);

}  // namespace hardkuma
