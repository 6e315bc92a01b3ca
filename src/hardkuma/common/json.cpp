#include "hardkuma/common/json.h"

#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

// Checked before parsing: the parser does not recurse, but copying and dumping a value do.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

template <typename Json>
Json try_parse_json(std::string_view text) {
  if (too_deep(text)) return Json(nlohmann::json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <typename Json>
Json parse_json(std::string_view text, const std::string& where) {
  if (too_deep(text)) {
    throw InputError("{}: JSON that is nested more than {} levels deep", where, kDeepestJson);
  }
  Json out = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (out.is_discarded()) throw InputError("{}: not valid JSON", where);
  return out;
}

std::string readable_json(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

template nlohmann::json try_parse_json(std::string_view text);
template nlohmann::json parse_json(std::string_view text, const std::string& where);
template nlohmann::ordered_json try_parse_json(std::string_view text);
template nlohmann::ordered_json parse_json(std::string_view text, const std::string& where);

}  // namespace hardkuma
