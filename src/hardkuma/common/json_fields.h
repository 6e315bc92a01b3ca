#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace hardkuma {

/// Struct to JSON and back by one list of fields. A struct S has
///
///   template <typename Self, typename Visit>
///   void each_field(Self& self, const Visit& visit) { visit("epoch", self.epoch); … }
///
/// found by argument-dependent lookup. Empty optionals are not written. On reading, missing fields
/// keep their value; a field of another type throws nlohmann::json::exception.
template <typename S>
nlohmann::ordered_json fields_to_json(const S& value) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  each_field(value, [&](const char* name, const auto& field) {
    if constexpr (requires { field.has_value(); }) {
      if (field.has_value()) out[name] = *field;
    } else {
      out[name] = field;
    }
  });
  return out;
}

/// A number written as an integer. Any other throws nlohmann::json::exception, because 1e300 cannot
/// be cast.
inline int64_t whole_number(const nlohmann::ordered_json& json) {
  return json.get_ref<const nlohmann::ordered_json::number_integer_t&>();
}

template <typename S>
void fields_from_json(const nlohmann::ordered_json& json, S& value) {
  each_field(value, [&](const char* name, auto& field) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_integral_v<Field> && !std::is_same_v<Field, bool>) {
      field = static_cast<Field>(whole_number(*found));
    } else if constexpr (requires { field.has_value(); }) {
      field = found->template get<typename std::remove_reference_t<decltype(field)>::value_type>();
    } else {
      found->get_to(field);
    }
  });
}

}  // namespace hardkuma
