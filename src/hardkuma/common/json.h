#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hardkuma {

/// Nothing that is read is nested deeper; deeper nesting would exhaust the stack.
constexpr int kDeepestJson = 100;

/// JSON from outside. What is not valid, or nested too deep, is an InputError that names `where`.
/// Of users' data, which may have any number of keys: parse_json<nlohmann::json>(…), whose objects
/// are sorted; to fill the other kind takes quadratic time.
template <typename Json = nlohmann::ordered_json>
Json parse_json(std::string_view text, const std::string& where);

/// The same, but discarded (is_discarded()) instead.
template <typename Json = nlohmann::ordered_json>
Json try_parse_json(std::string_view text);

/// Indented, for files that people may open. Broken UTF-8, as in names of files, is replaced.
std::string readable_json(const nlohmann::ordered_json& json);

}  // namespace hardkuma
