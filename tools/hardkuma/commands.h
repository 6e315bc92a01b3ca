#pragma once

#include <CLI/App.hpp>
#include <atomic>
#include <string>

namespace hardkuma {

/// What every command gets: how the program was called, and the flag Ctrl-C sets.
struct CommandContext {
  std::string command_line;
  std::atomic<bool>* stop = nullptr;  ///< set where the command called stop_on_signals()
};

/// Each adds its verb to the program. The work is done in the verb's callback, which throws.
void add_demo(CLI::App& app, const CommandContext& context);
void add_train(CLI::App& app, const CommandContext& context);
void add_evaluate(CLI::App& app, const CommandContext& context);
void add_compare(CLI::App& app, const CommandContext& context);
void add_sweep(CLI::App& app, const CommandContext& context);
void add_reproduce(CLI::App& app, const CommandContext& context);
void add_explain(CLI::App& app, const CommandContext& context);
void add_data(CLI::App& app, const CommandContext& context);
void add_bench(CLI::App& app, const CommandContext& context);
void add_manual(CLI::App& app, const CommandContext& context);

/// `bench --shape products`.
void bench_products();

/// Text quoted for a shell.
std::string shell_quoted(const std::string& text);

/// A path as an argument that is not taken for a flag.
std::string as_argument(const std::string& path);

/// Thrown by a run that was stopped by Ctrl-C and saved; sets the exit status.
class Interrupted {};

}  // namespace hardkuma
