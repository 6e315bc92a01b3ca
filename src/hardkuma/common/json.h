#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hardkuma {

/// The deepest nesting that is read; deeper nesting would exhaust the stack.
constexpr int kDeepestJson = 100;

/// Parses JSON from outside. Invalid or too deeply nested JSON is an InputError that names `where`.
/// For users' data, which may have any number of keys, call parse_json<nlohmann::json>(…): its
/// objects are sorted, while filling an ordered_json takes quadratic time.
template <typename Json = nlohmann::ordered_json>
Json parse_json(std::string_view text, const std::string& where);

/// The same, but returns a discarded value (is_discarded()) instead of throwing.
template <typename Json = nlohmann::ordered_json>
Json try_parse_json(std::string_view text);

/// Indented, for files that people may open. Broken UTF-8, as in names of files, is replaced.
std::string readable_json(const nlohmann::ordered_json& json);

}  // namespace hardkuma
