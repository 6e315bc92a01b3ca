// The man page and the shells' completions, made from the verbs' own options and the settings
// table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/model/config.h"
#include "hardkuma/train/presets.h"
#include "hardkuma/version.h"
#include "help.h"
#include "message.h"

namespace hardkuma {
namespace {

struct Flag {
  std::vector<std::string> names;  // "-o", "--out"
  std::string help;
  bool takes_value = false;
  std::vector<std::string> values;  // empty: a file, a number or anything
};

// "data generate" for a nested verb.
struct Verb {
  std::string name;
  std::string help;
  std::vector<Flag> flags;
  const CLI::App* app = nullptr;
};

std::vector<Flag> flags_of(const CLI::App& verb) {
  std::vector<Flag> out;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional() || !option->nonpositional()) continue;
    Flag flag;
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    flag.help = description_with_default(*option);
    flag.takes_value = option->get_type_size() != 0;
    flag.values = values_of(*option);
    if (flag.names.back() == "--preset") {
      for (const auto& [name, text] : preset_table()) flag.values.push_back(name);
    }
    out.push_back(std::move(flag));
  }
  return out;
}

void add_verbs(const CLI::App& app, const std::string& before, std::vector<Verb>& out) {
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_group().empty()) continue;  // hidden
    const std::string name = before + verb->get_name();
    out.push_back({name, verb->get_description(), flags_of(*verb), verb});
    add_verbs(*verb, name + " ", out);
  }
}

std::vector<Verb> verbs_of(const CLI::App& app) {
  std::vector<Verb> out;
  add_verbs(app, "", out);
  return out;
}

std::vector<std::string> setting_names() {
  Config config;
  std::vector<std::string> out;
  for (const Setting& setting : settings(config)) out.push_back(setting.name);
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Escapes text for troff: a line is never a request, and hyphens can be searched and pasted.
std::string roff(const std::string& text) {
  std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  out = replaced(out, "\"", "\\(dq");  // an argument's end otherwise
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH HARDKUMA 1 \"\" \"hardkuma {0}\" \"User Commands\"\n.SH NAME\nhardkuma \\- {1}\n"
      ".SH SYNOPSIS\n.B hardkuma\n.I COMMAND\n[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n"
      "Trains a classifier that decides from a share of the words that you name, and shows these\n"
      "words: a selector picks them, and the classifier sees nothing else.\n.SH COMMANDS\n",
      kVersion, roff(app.get_description()));
  for (const Verb& verb : verbs_of(app)) {
    out += fmt::format(".SS hardkuma {}\n{}\n", roff(verb.name), roff(verb.help));
    for (const CLI::Option* option : verb.app->get_options()) {
      const bool positional = option->get_positional();
      out += fmt::format(".TP\n.B {}\n{}\n", roff(names_and_type(*option, positional)),
                         roff(description_with_default(*option)));
    }
  }
  out +=
      ".SH SETTINGS\nFor \\fB\\-\\-set\\fR and TOML files; \\fBhardkuma train "
      "\\-\\-dump\\-config\\fR prints them all.\n";
  Config config;
  for (const Setting& setting : settings(config)) {
    out += fmt::format(".TP\n.B {} = {}\n{}. Has an effect {}.\n", roff(setting.name),
                       roff(setting_text(setting)), roff(setting.help),
                       roff(setting.condition->where));
  }
  return out +
         ".SH EXIT STATUS\n.TP\n.B 0\nsuccess\n.TP\n.B 1\na file or a setting was wrong\n.TP\n.B "
         "2\nthe command was wrong\n.TP\n.B 130\nstopped and saved; a training goes on with "
         "\\fB\\-\\-resume\\fR\n.SH EXAMPLES\n.nf\nhardkuma train reviews.csv \\-\\-target 15%\n"
         "hardkuma evaluate reviews.model reviews.csv \\-\\-split test\n"
         "hardkuma explain reviews.model \"A lovely, bright pour.\"\n.fi\n";
}

std::string bash_completion(const CLI::App& app) {
  std::string flags;
  std::string values;
  for (const Verb& verb : verbs_of(app)) {
    std::vector<std::string> names;
    for (const Flag& flag : verb.flags) {
      names.insert(names.end(), flag.names.begin(), flag.names.end());
      if (flag.values.empty()) continue;
      for (const std::string& name : flag.names) {
        values += fmt::format("    \"{} {}\") words=\"{}\" ;;\n", verb.name, name,
                              fmt::join(flag.values, " "));
      }
    }
    flags += fmt::format("    \"{}\") words=\"{}\" ;;\n", verb.name, fmt::join(names, " "));
  }
  std::vector<std::string> verbs;
  std::vector<std::string> inner;
  for (const Verb& verb : verbs_of(app)) {
    if (verb.name.find(' ') == std::string::npos) verbs.push_back(verb.name);
    if (verb.name.starts_with("data ")) inner.push_back(verb.name.substr(5));
  }
  return fmt::format(R"(# bash completion for hardkuma
_hardkuma() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0} --help --version" -- "$current"))
    return
  fi
  if [ "$verb" = data ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "{1}" -- "$current"))
      return
    fi
    verb="data ${{COMP_WORDS[2]}}"
  fi
  case "$verb $previous" in
    *" --set") COMPREPLY=($(compgen -S = -W "{2}" -- "$current")); compopt -o nospace; return ;;
{3}  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case $current in
    -*) ;;
    *) return ;;
  esac
  case "$verb" in
{4}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _hardkuma hardkuma
)",
                     fmt::join(verbs, " "), fmt::join(inner, " "), fmt::join(setting_names(), " "),
                     values, flags);
}

// Escapes text for single quotes in zsh's specifications, where brackets and colons are special.
std::string zsh_text(const std::string& text) {
  std::string out = replaced(replaced(text, "'", "'\\''"), ":", "\\:");
  return replaced(replaced(out, "[", "\\["), "]", "\\]");
}

std::string zsh_completion(const CLI::App& app) {
  std::string verbs;
  std::string inner;
  std::string flags;
  for (const Verb& verb : verbs_of(app)) {
    const bool nested = verb.name.starts_with("data ");
    (nested ? inner : verbs) +=
        fmt::format("    '{}:{}'\n", nested ? verb.name.substr(5) : verb.name, zsh_text(verb.help));
    flags += fmt::format("    '{}') _arguments", verb.name);
    for (const Flag& flag : verb.flags) {
      for (const std::string& name : flag.names) {
        std::string action;
        if (name == "--set")
          action = fmt::format(":setting:({})", fmt::join(setting_names(), " "));
        else if (!flag.values.empty())
          action = fmt::format(":value:({})", fmt::join(flag.values, " "));
        else if (flag.takes_value)
          action = ":value:_files";
        flags += fmt::format(" \\\n      '{}[{}]{}'", name, zsh_text(flag.help), action);
      }
    }
    flags += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef hardkuma
local -a verbs inner
verbs=(
{0})
inner=(
{1})
if (( CURRENT == 2 )); then
  _describe command verbs
  return
fi
local verb=$words[2]
shift words
(( CURRENT-- ))
if [[ $verb == data ]]; then
  if (( CURRENT == 2 )); then
    _describe command inner
    return
  fi
  verb="data $words[2]"
  shift words
  (( CURRENT-- ))
fi
case $verb in
{2}esac
)",
                     verbs, inner, flags);
}

std::string fish_completion(const CLI::App& app) {
  const auto quoted = [](const std::string& text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
  };
  std::string out = "# fish completion for hardkuma\n";
  for (const Verb& verb : verbs_of(app)) {
    const size_t space = verb.name.find(' ');
    const std::string last = space == std::string::npos ? verb.name : verb.name.substr(space + 1);
    const std::string where =
        space == std::string::npos
            ? std::string("__fish_use_subcommand")
            : fmt::format("__fish_seen_subcommand_from {}", verb.name.substr(0, space));
    out += fmt::format("complete -c hardkuma -n {} -a {} -d {}\n", quoted(where), last,
                       quoted(verb.help));
    for (const Flag& flag : verb.flags) {
      out +=
          fmt::format("complete -c hardkuma -n {}", quoted("__fish_seen_subcommand_from " + last));
      for (const std::string& name : flag.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (flag.takes_value) out += " -r";
      std::vector<std::string> values = flag.values;
      if (flag.names.back() == "--set") {
        for (const std::string& name : setting_names()) values.push_back(name + "=");
      }
      if (!values.empty())
        out += fmt::format(" -f -a {}", quoted(fmt::format("{}", fmt::join(values, " "))));
      out += " -d " + quoted(flag.help) + "\n";
    }
  }
  return out;
}

}  // namespace

void add_manual(CLI::App& app, const CommandContext&) {
  auto kind = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("manual", "print the man page or a shell's completion");
  command->group("");  // hidden: only the build calls it
  command->add_option("KIND", *kind, "man, bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
  command->callback([kind, &app] {
    print("{}", *kind == "man"    ? man_page(app)
                : *kind == "bash" ? bash_completion(app)
                : *kind == "zsh"  ? zsh_completion(app)
                                  : fish_completion(app));
  });
}

}  // namespace hardkuma
