#include "help.h"

#include <fmt/format.h>

#include <sstream>

#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr int64_t kWidth = 78;  // --help-all indents by two
constexpr int64_t kIndent = 24;
constexpr size_t kLongestList = 40;  // of values in a type's name

// The names, with the text beside or below them, wrapped at kWidth.
std::string entry(const std::string& names, const std::string& text) {
  const std::string indent(kIndent, ' ');
  std::string out = "  " + names;
  std::string line = out;
  if (count_code_points(out) + 2 > kIndent) {
    out += "\n";
    line = indent;
  } else {
    line.resize(kIndent, ' ');
  }
  if (line != indent) out.clear();
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && count_code_points(line) + 1 + count_code_points(word) > kWidth) {
      out += line + "\n";
      line = indent + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return out + line + "\n";
}

class Formatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(names_and_type(*option, is_positional), description_with_default(*option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return entry(verb->get_name(), verb->get_description());
  }
};

// The part of a type's name in braces, or "".
std::string list_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t from = type.find('{');
  const size_t to = type.find('}');
  return from == std::string::npos || to == std::string::npos ? ""
                                                              : type.substr(from, to - from + 1);
}

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() {
  return std::make_shared<Formatter>();
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string list = list_of(option);
  return list.empty() ? std::vector<std::string>{}
                      : CLI::detail::split(list.substr(1, list.size() - 2), ',');
}

std::string names_and_type(const CLI::Option& option, bool is_positional) {
  std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  const std::string list = list_of(option);
  if (!list.empty()) type = list.size() <= kLongestList ? list : "NAME";
  if (type.find(" in [") != std::string::npos)
    type = type.substr(type.find(':') + 1);  // "INT in …"
  const std::string names = option.get_name(is_positional, /*all_options=*/!is_positional);
  return names + (type.empty() || is_positional ? "" : " " + type);
}

std::string description_with_default(const CLI::Option& option) {
  std::string out = option.get_description();
  if (!option.get_default_str().empty()) out += " [" + option.get_default_str() + "]";
  if (option.get_required()) out += " (required)";
  return out;
}

}  // namespace hardkuma
