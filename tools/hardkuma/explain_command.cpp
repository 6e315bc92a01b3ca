#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <future>
#include <memory>

#include "choice_option.h"
#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/report/writer.h"
#include "machine_options.h"
#include "model_settings.h"
#include "output.h"
#include "progress.h"
#include "read_ahead.h"
#include "signals.h"
#include "status_line.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunk = 512;     // texts in memory at a time
constexpr size_t kPairChunk = 64;  // pairs have as many cells as the product of their lengths

struct ExplainArguments {
  std::vector<std::string> paths;  // models, then perhaps the input
  std::vector<std::string> rest;   // the others: an input, a text, or both texts of a pair
  std::string input = "-";
  std::string format;
  std::string input_format;
  std::string text_column;
  std::string second_column;
  std::string out;
  std::string min_confidence;
  bool truncate = false;
  ChoiceFlags choice;
  int64_t workers = 0;
  std::string device = "cpu";
};

// Does the text look like a file name? No spaces, and a slash or a data file's extension.
bool looks_like_path(const std::string& text) {
  if (text.find(' ') != std::string::npos) return false;
  if (text.find('/') != std::string::npos) return true;
  for (const char* ending : {".csv", ".tsv", ".jsonl", ".json", ".txt", ".gz"}) {
    if (ends_with_ignore_case(text, ending)) return true;
  }
  return false;
}

void refuse_more_than(size_t most, const std::vector<std::string>& rest) {
  if (rest.size() <= most) return;
  throw UsageError(
      "one argument too many; quote texts with spaces ({} is no model directory, so it is the "
      "text)",
      quotable(rest[0]));
}

// The first path and the directories that follow are models; the rest is the input.
void sort_arguments(ExplainArguments& args) {
  if (args.paths.empty()) throw UsageError("explain needs a model; see hardkuma explain --help");
  args.choice.check();
  if (!args.min_confidence.empty()) {
    const double least = parse_rate(args.min_confidence, "--min-confidence");
    if (!(least > 0.0 && least <= 1.0)) {
      throw UsageError("--min-confidence must be above 0% and at most 100%");
    }
  }
  size_t models = 1;
  std::error_code ignored;  // a long text is not a valid path, which is no error
  while (models < args.paths.size() && fs::is_directory(args.paths[models], ignored)) ++models;
  args.rest.assign(args.paths.begin() + static_cast<long>(models), args.paths.end());
  args.paths.resize(models);
  refuse_more_than(2, args.rest);  // no model reads more texts
}

// Checks the arguments after the models, now that it is known what the models read.
void check_rest(ExplainArguments& args, bool pairs) {
  if (pairs && args.paths.size() > 1) {
    throw UsageError("pairs are explained by one model at a time");
  }
  refuse_more_than(pairs ? 2 : 1, args.rest);
  if (args.rest.size() == 1) args.input = args.rest[0];
  if (!args.second_column.empty() && !pairs) {
    throw UsageError("--second names a pair's second text; this model reads single texts");
  }
  if (args.rest.size() < 2) return;
  for (const std::string& text : args.rest) {
    std::error_code ignored;
    if (fs::exists(text, ignored) || looks_like_path(text)) {
      throw UsageError("{} is a file, not a text; give two texts, or one file at a time",
                       quotable(text));
    }
  }
}

// Several models at once; every one explains the same texts.
class Explainers {
 public:
  explicit Explainers(const ExplainArguments& args) {
    for (const std::string& path : args.paths) {
      explainers_.push_back(std::make_unique<Explainer>(path, args.workers, args.device));
      if (!args.min_confidence.empty()) {
        explainers_.back()->set_min_confidence(parse_rate(args.min_confidence, "--min-confidence"));
      }
      if (args.truncate) explainers_.back()->set_truncate(true);
      args.choice.apply(*explainers_.back());
      names_.push_back(aspect_of(explainers_.back()->model().config, path));
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (names_[i] != names_[j]) continue;
        throw InputError("{} and {} both explain \"{}\"; give one of each", args.paths[j],
                         args.paths[i], names_[i]);
      }
    }
  }

  const Config& config() const { return explainers_[0]->model().config; }

  std::vector<AspectExplanations> explain(std::vector<RawExample> texts,
                                          const std::string& source) {
    std::vector<AspectExplanations> out(texts.size());
    for (size_t m = 0; m < explainers_.size(); ++m) {
      const bool last = m + 1 == explainers_.size();
      auto own = explainers_[m]->explain(last ? std::move(texts) : texts, source);
      for (size_t i = 0; i < own.size(); ++i) {
        if (explainers_.size() > 1) own[i].aspect = names_[m];
        out[i].push_back(std::move(own[i]));
      }
    }
    return out;
  }

  AspectExplanations explain(const std::string& first, const std::string& second) {
    return {explainers_[0]->explain(first, second)};
  }

  AspectExplanations explain(const std::string& text) {
    AspectExplanations out;
    for (size_t m = 0; m < explainers_.size(); ++m) {
      out.push_back(explainers_[m]->explain(text));
      if (explainers_.size() > 1) out.back().aspect = names_[m];
    }
    return out;
  }

 private:
  std::vector<std::unique_ptr<Explainer>> explainers_;
  std::vector<std::string> names_;
};

void run(ExplainArguments args, const CommandContext& context) {
  sort_arguments(args);
  Explainers explainers(args);
  const bool pairs = reads_pairs(explainers.config());
  check_rest(args, pairs);
  const bool given = args.rest.size() == 2;  // both texts
  const bool to_terminal = args.out.empty() && isatty(STDOUT_FILENO) == 1;
  const std::string format = !args.format.empty() ? args.format : to_terminal ? "text" : "jsonl";
  const std::unique_ptr<ExplanationWriter> writer =
      find_format(format).make({args.paths, pairs, pairs && selects_words(explainers.config()),
                                to_terminal && colour_terminal(STDOUT_FILENO),
                                to_terminal ? terminal_width(STDOUT_FILENO) : 0});
  std::error_code ignored;  // a long text is not a valid path, which is no error
  const bool is_file = !given && (args.input == "-" || fs::exists(args.input, ignored));
  if (!given && !is_file && looks_like_path(args.input)) {
    throw InputError("{}: no such file", args.input);
  }
  if (pairs && !given && !is_file) {
    throw UsageError("this model reads pairs; give two texts, or a file or - with two columns");
  }

  // Open the input before the output, so that a bad input leaves nothing behind.
  std::unique_ptr<ExampleReader> reader;
  if (is_file) {
    const FileFormat* asked_format = !args.input_format.empty()
                                         ? &format_from_name(args.input_format)
                                     : args.input == "-" ? &format_from_name("lines")
                                                         : nullptr;
    Columns columns;
    columns.pair = pairs;
    columns.text = args.text_column;
    columns.second = args.second_column;
    columns.usual_text = explainers.config().data.text;
    columns.usual_second = explainers.config().data.second;
    reader = open_examples(args.input, columns, /*with_label=*/false, asked_format);
  }
  // Without an output file there is nothing to clean up, and a signal may exit at once.
  if (!args.out.empty()) stop_on_signals(*context.stop);
  Output output(args.out);
  output.write(writer->open());
  if (!reader) {
    output.write(writer->text_of(given ? explainers.explain(args.rest[0], args.rest[1])
                                       : explainers.explain(args.input)));
    output.write(writer->close());
    output.finish();
    return;
  }
  const std::string source = args.input == "-" ? "<stdin>" : args.input;
  // The next chunk is read and the last one written while this one is explained.
  ReadAhead input(std::move(reader), pairs ? kPairChunk : kChunk);
  std::vector<RawExample> chunk;
  std::future<void> writing;
  const auto written = [&writing] {
    if (writing.valid()) writing.get();
  };
  while (input.next(chunk, *context.stop)) {
    auto explanations = explainers.explain(std::move(chunk), source);
    written();
    writing = in_background([&, done = std::move(explanations)] {
      for (const AspectExplanations& one : done) output.write(writer->text_of(one));
      output.flush();
    });
    if (!input.waiting()) written();  // notices a closed pipe before the next wait
  }
  written();
  if (context.stop->load()) throw Interrupted();  // before a half-written file gets its name
  output.write(writer->close());
  output.finish();
}

std::string format_help() {
  std::string out;
  for (const ExplanationFormat& format : explanation_formats()) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", format.name, format.help);
  }
  return out + "; default: text on a terminal, jsonl elsewhere";
}

}  // namespace

void add_explain(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<ExplainArguments>();
  CLI::App* command =
      app.add_subcommand("explain", "predict texts and show the words that decided");
  command->add_option("MODELS_AND_INPUT", args->paths,
                      "directories that train wrote, several to colour a text by aspect; then a "
                      "text, a file (" +
                          format_names() +
                          "; also .gz), or - for stdin "
                          "[-]; for a model of pairs two texts, or lines with a tab between them");
  command->add_option("-f,--format", args->format, format_help());
  command->add_option("--input-format", args->input_format,
                      format_names() + " (default: from the name and the first line)");
  command->add_option("--text", args->text_column, "column of the text");
  command->add_option("--second", args->second_column, "column of a pair's second text");
  command->add_option("-o,--out", args->out, "write to a file, which appears when complete");
  command->add_flag("--truncate", args->truncate,
                    "cut texts longer than the model's data.max_tokens");
  command->add_option("--min-confidence", args->min_confidence,
                      "give no label where the likeliest one has a lower probability, as 80%");
  args->choice.add_to(*command);
  add_device_option(*command, args->device);
  add_workers_option(*command, args->workers);
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
