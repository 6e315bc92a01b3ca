#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands.h"
#include "hardkuma/api/translate.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/version.h"
#include "help.h"
#include "message.h"
#include "signals.h"

namespace hardkuma {

std::string shell_quoted(const std::string& text) {
  const std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+=:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string as_argument(const std::string& path) {
  return path.starts_with('-') && path != "-" ? "./" + path : path;
}

}  // namespace hardkuma

namespace {

std::atomic<bool> stop_requested{false};

int fail(const std::string& what, int status) {
  hardkuma::message("hardkuma: {}\n", what);
  return status;
}

// "did you mean" for a mistyped verb, which CLI11 would report as an extra argument.
void check_verb(CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (std::find(verbs.begin(), verbs.end(), argv[1]) != verbs.end()) return;
  throw hardkuma::UsageError("unknown command \"{}\"{}; see hardkuma --help", argv[1],
                             hardkuma::did_you_mean(argv[1], verbs));
}

// The command that was named, "data inspect", or the program itself.
CLI::App* named_verb(CLI::App& app, std::string& name) {
  CLI::App* verb = &app;
  name = app.get_name();
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    name += " " + verb->get_name();
  }
  return verb;
}

// The error for extra arguments: an unknown flag, with a suggestion, or an extra word.
std::string unexpected(CLI::App& app) {
  std::string command;
  const CLI::App* verb = named_verb(app, command);
  std::vector<std::string> flags;
  for (const CLI::Option* option : verb->get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const std::string help = fmt::format("; see {} --help", command);
  std::string first;
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    if (word.starts_with("-")) {
      return fmt::format("unknown flag {}{}{}", word, hardkuma::did_you_mean(word, flags), help);
    }
    first = word;  // they are in reverse order
  }
  return fmt::format("\"{}\" is one argument too many; quote texts with spaces{}",
                     hardkuma::quotable(first), help);
}

int run(int argc, char** argv) {
  hardkuma::CommandContext context{"hardkuma", &stop_requested};
  for (int i = 1; i < argc; ++i) context.command_line += " " + hardkuma::shell_quoted(argv[i]);
  CLI::App app{"text classifiers that show their evidence", "hardkuma"};
  app.set_version_flag("--version", hardkuma::kVersion, "print the version");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "print the help of every command");
  app.set_help_flag("-h,--help", "print this help");
  app.formatter(hardkuma::help_formatter());
  hardkuma::add_demo(app, context);
  hardkuma::add_train(app, context);
  hardkuma::add_evaluate(app, context);
  hardkuma::add_compare(app, context);
  hardkuma::add_sweep(app, context);
  hardkuma::add_reproduce(app, context);
  hardkuma::add_explain(app, context);
  hardkuma::add_data(app, context);
  hardkuma::add_bench(app, context);
  hardkuma::add_manual(app, context);
  try {
    check_verb(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    const int status = app.exit(asked);
    hardkuma::Output("").finish();
    return status;
  } catch (const CLI::ExtrasError&) {
    return fail(unexpected(app), 2);
  } catch (const CLI::ParseError& error) {
    std::string name;
    named_verb(app, name);
    return fail(fmt::format("{}; see {} --help", error.what(), name), 2);
  }
  // Output may still be in the buffer, and writing it may fail.
  hardkuma::Output("").finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  hardkuma::prepare_process();
  const std::string warning = hardkuma::blas_warning();
  if (!warning.empty()) hardkuma::message("{}\n", warning);
  try {
    return run(argc, argv);
  } catch (const hardkuma::Interrupted&) {
    return 130;
  } catch (const hardkuma::OutputClosed&) {
    return 0;
  } catch (const hardkuma::UsageError& error) {
    return fail(error.what(), 2);
  } catch (const std::exception& error) {
    return fail(hardkuma::sentence_of(error), 1);
  }
}
