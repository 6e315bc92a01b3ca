#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "choice_option.h"
#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/json.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/eval/evaluation_fields.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/measured_split.h"
#include "machine_options.h"
#include "message.h"
#include "model_settings.h"
#include "output.h"

namespace hardkuma {
namespace {

struct EvaluateArguments {
  std::vector<std::string> paths;  // models, then the data
  std::string data;
  std::string split;
  std::string json;
  std::string text;
  std::string second;
  std::string label;
  std::string aspect;
  std::string gold;
  bool truncate = false;
  bool verbose = false;
  ChoiceFlags choice;
  int64_t workers = 0;
  std::string device = "auto";
};

struct Measured {
  std::string model;
  std::string aspect;  // what the model judges, or its directory's name
  std::string split;
  Config config;
  Evaluation evaluation;
};

Measured measure(const EvaluateArguments& args, const std::string& model) {
  Explainer explainer(model, args.workers, args.device);
  args.choice.apply(explainer);
  Config config = explainer.model().config;
  if (!args.text.empty()) config.data.text = args.text;
  if (!args.second.empty()) config.data.second = args.second;
  if (!args.label.empty()) config.data.label = args.label;
  if (!args.aspect.empty()) config.data.aspect = args.aspect;
  if (!args.gold.empty()) config.data.gold = args.gold;
  config.data.truncate = config.data.truncate || args.truncate;
  validate(config);
  MeasuredSplit split = choose_split(args.data, args.split, model, data_options(config));
  if (!split.warning.empty()) message("warning: {}\n", split.warning);
  message("{}", pair_remarks(split.records.undecided, split.records.misplaced_marks));
  const std::vector<Example> set =
      make_examples(std::move(split.records), config.task, explainer.model().vocabulary);
  const auto predictions = explainer.predict(set);
  return {model, aspect_of(config, model), split.name, config,
          summarise(set, predictions, config.task, kBootstrap)};
}

nlohmann::ordered_json json_of(const Measured& m) {
  nlohmann::ordered_json out = {{"model", m.model}};
  if (!m.config.data.aspect.empty()) out["aspect"] = m.config.data.aspect;
  out["split"] = m.split;
  if (selects_words(m.config)) out["target"] = m.config.objective.target;
  out.update(to_json(m.evaluation));
  return out;
}

void run(EvaluateArguments args) {
  if (args.paths.size() < 2)
    throw UsageError("evaluate needs a model and DATA; see hardkuma evaluate --help");
  args.choice.check();
  args.data = args.paths.back();
  args.paths.pop_back();
  Output::check(args.json);
  check_read_again(args.data, args.paths.size());
  std::vector<Measured> measured;
  for (const std::string& model : args.paths) {
    measured.push_back(measure(args, model));
    if (measured.back().evaluation.regression != measured[0].evaluation.regression) {
      throw InputError("{} and {}: one classifies and one does not; evaluate them one by one",
                       args.paths[0], model);
    }
  }
  const bool several = measured.size() > 1;
  std::set<std::string> aspects;
  for (const Measured& m : measured) aspects.insert(m.aspect);
  std::vector<NamedEvaluation> rows;
  std::vector<Evaluation> all;
  nlohmann::ordered_json out = {{"data", args.data}};
  if (!args.choice.budget.empty()) out["budget"] = parse_rate(args.choice.budget, "--budget");
  for (const Measured& m : measured) {
    rows.push_back({several ? m.aspect : m.split, m.evaluation});
    all.push_back(m.evaluation);
    if (several) {
      out["models"].push_back(json_of(m));
    } else {
      out.update(json_of(m));
    }
  }
  // Of models of the same labels it would count each text twice.
  if (several && aspects.size() == measured.size()) {
    rows.push_back({"pooled", pooled(all)});
    out["pooled"] = to_json(rows.back().evaluation);
  }
  if (args.json != "-")
    print("{}{}", evaluation_table(rows, args.verbose ? Detail::Full : Detail::Brief),
          several || rows[0].evaluation.by_class.empty()
              ? ""
              : "\n" + text_table(class_rows(rows[0].evaluation)));
  if (args.json.empty()) return;
  Output::write_whole(args.json, readable_json(out));
}

}  // namespace

void add_evaluate(CLI::App& app, const CommandContext&) {
  auto args = std::make_shared<EvaluateArguments>();
  CLI::App* command = app.add_subcommand("evaluate", "measure a model on labelled data");
  command->add_option("MODELS_AND_DATA", args->paths,
                      "directories that train wrote, a row each and their words pooled; then a "
                      "labelled file, or a directory (its test split, else dev)");
  command
      ->add_option("--split,--part", args->split,
                   "train, dev or test of a directory or of a file's own split")
      ->check(CLI::IsMember({"train", "dev", "test"}));
  command->add_option(
      "--json", args->json,
      "also write the results as JSON to this file; -: to stdout, instead of the table");
  command->add_option("--text", args->text, "column of the text (default: the model's)");
  command->add_option("--second", args->second,
                      "column of a pair's second text (default: the model's)");
  command->add_option("--label", args->label, "column of the label (default: the model's)");
  command->add_option("--aspect", args->aspect, "score of beer reviews (default: the model's)");
  command->add_option("--gold", args->gold, "field of the gold spans (default: the model's)");
  command->add_flag("--truncate", args->truncate,
                    "cut texts longer than the model's data.max_tokens");
  command->add_flag("--verbose", args->verbose,
                    "also the mean share over texts and what the gates expect to select");
  args->choice.add_to(*command);
  add_device_option(*command, args->device);
  add_workers_option(*command, args->workers);
  command->callback([args] { run(*args); });
}

}  // namespace hardkuma
