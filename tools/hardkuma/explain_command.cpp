#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/csv.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/report/page.h"
#include "output.h"
#include "progress.h"
#include "read_ahead.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunk = 512;  // texts in memory at a time

struct ExplainArguments {
  std::string model;
  std::string input = "-";
  std::string format = "auto";
  std::string input_format;
  std::string text_column;
  std::string out;
  bool truncate = false;
  int64_t workers = 0;
};

// A name that was surely meant as a file: no spaces, and a path or a data file's ending.
bool looks_like_path(const std::string& text) {
  if (text.find(' ') != std::string::npos) return false;
  if (text.find('/') != std::string::npos) return true;
  for (const char* ending : {".csv", ".tsv", ".jsonl", ".txt", ".gz"}) {
    if (ends_with_ignore_case(text, ending)) return true;
  }
  return false;
}

// Does the file have this column? A pipe cannot be looked into beforehand, so there the answer is
// yes.
bool has_column(const std::string& path, FileFormat format, const std::string& column) {
  if (path == "-" || !fs::is_regular_file(path)) return true;
  if (format == FileFormat::Jsonl) {
    LineReader lines(path);
    std::string line;
    while (lines.next(line) && trim(line).empty()) {
    }
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    return record.is_object() && record.contains(column);
  }
  CsvReader csv(path, format == FileFormat::Tsv ? '\t' : ',');
  std::vector<std::string> header;
  csv.next(header);
  return std::find(header.begin(), header.end(), column) != header.end();
}

class Writer {
 public:
  Writer(const std::string& format, bool colour, Output& output)
      : format_(format), colour_(colour), output_(output) {}

  void open(const std::string& model) {
    if (format_ == "html") {
      output_.write(
          page_open("Explained texts",
                    "by the model " + model + "; highlighted: what the decision was made from"));
    }
  }

  void write(const Explanation& explanation) {
    if (format_ == "jsonl") {
      output_.write(to_json_line(explanation) + "\n");
    } else if (format_ == "html") {
      output_.write(page_card(explanation));
    } else {
      const std::string prediction = prediction_text(explanation);
      output_.write(fmt::format("{}{}{}  {}\n", colour_ ? "\x1b[1m" : "", prediction,
                                colour_ ? "\x1b[0m" : "", highlighted(explanation, colour_)));
    }
  }

  void close() {
    if (format_ == "html") output_.write(page_close());
    output_.finish();
  }

 private:
  std::string format_;
  bool colour_;
  Output& output_;
};

void run(const ExplainArguments& args, const CommandContext& context) {
  // With no file to clean up there is nothing to save: stop at once, also in the middle of a read.
  if (args.out.empty()) std::signal(SIGINT, SIG_DFL);
  Explainer explainer(args.model, args.workers);
  if (args.truncate) explainer.set_truncate(true);
  const bool to_terminal = args.out.empty() && isatty(STDOUT_FILENO) == 1;
  const std::string format = args.format != "auto" ? args.format : to_terminal ? "text" : "jsonl";
  std::error_code ignored;  // a long text is no valid path, and that is fine
  const bool is_file = args.input == "-" || fs::exists(args.input, ignored);
  if (!is_file && looks_like_path(args.input)) throw InputError("{}: no such file", args.input);

  // Open the input before the output, so that a bad input leaves nothing behind.
  std::unique_ptr<ExampleReader> reader;
  if (is_file) {
    const FileFormat input_format = !args.input_format.empty() ? format_from_name(args.input_format)
                                    : args.input == "-"        ? FileFormat::Lines
                                                               : detect_format(args.input);
    // The model's own column where the file has it; else the usual names are tried.
    Columns columns;
    columns.text = args.text_column;
    const std::string& own = explainer.model().config.data.text;
    const bool tabular = input_format == FileFormat::Csv || input_format == FileFormat::Tsv ||
                         input_format == FileFormat::Jsonl;
    if (columns.text.empty() && tabular && !own.empty() &&
        has_column(args.input, input_format, own)) {
      columns.text = own;
    }
    reader = open_examples(args.input, input_format, columns, /*with_label=*/false);
  }
  Output output(args.out);
  Writer writer(format, to_terminal && colour_terminal(STDOUT_FILENO), output);
  writer.open(args.model);
  if (!reader) {
    writer.write(explainer.explain(args.input));
    writer.close();
    return;
  }
  const std::string source = args.input == "-" ? "<stdin>" : args.input;
  // The next chunk is read and the last one written while this one is explained.
  ReadAhead input(std::move(reader), kChunk);
  std::vector<RawExample> chunk;
  std::future<void> writing;
  const auto written = [&writing] {
    if (writing.valid()) writing.get();
  };
  while (input.next(chunk, *context.stop)) {
    auto explanations = explainer.explain(std::move(chunk), source);
    written();
    writing = std::async(std::launch::async, [&, done = std::move(explanations)] {
      for (const Explanation& explanation : done) writer.write(explanation);
      output.flush();
    });
    if (!input.waiting()) written();  // a reader that went away is noticed before the next wait
  }
  written();
  if (context.stop->load()) throw Interrupted();  // before a half-written file gets its name
  writer.close();
}

}  // namespace

void add_explain(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<ExplainArguments>();
  CLI::App* command =
      app.add_subcommand("explain", "predict raw text and show the words that decided");
  command->add_option("MODEL", args->model, "directory that train wrote")->required();
  command
      ->add_option("INPUT", args->input,
                   "a text, a file (lines, CSV, TSV, JSONL, SST; also .gz), or - for stdin")
      ->capture_default_str();
  command->add_option("-f,--format", args->format, "auto: text on a terminal, jsonl elsewhere")
      ->check(CLI::IsMember({"auto", "text", "jsonl", "html"}))
      ->capture_default_str();
  command->add_option("--input-format", args->input_format,
                      "csv, tsv, jsonl, sst or lines (default: from the name)");
  command->add_option("--text", args->text_column, "column of the text");
  command->add_option("-o,--out", args->out, "write to a file, which appears when complete");
  command->add_flag("--truncate", args->truncate,
                    "cut texts longer than the model's data.max_tokens");
  command->add_option("--workers", args->workers, "threads; 0: one per core")
      ->capture_default_str();
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
