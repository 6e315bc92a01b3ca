#include "hardkuma/common/json.h"

#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

using Json = nlohmann::ordered_json;

// Counted before parsing: the parser keeps its own stack, but a value's copy and text recurse.
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

Json try_parse_json(std::string_view text) {
  if (too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json parse_json(std::string_view text, const std::string& where) {
  if (too_deep(text)) {
    throw InputError("{}: JSON that is nested more than {} levels deep", where, kDeepestJson);
  }
  Json out = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (out.is_discarded()) throw InputError("{}: not valid JSON", where);
  return out;
}

}  // namespace hardkuma
