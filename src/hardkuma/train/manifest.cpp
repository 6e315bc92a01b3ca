#include "hardkuma/train/manifest.h"

#include "hardkuma/common/directory.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/json_fields.h"
#include "hardkuma/common/text.h"
#include "hardkuma/eval/evaluation_fields.h"

namespace hardkuma {

// All but the status, the results, and the names of files, which may not be valid UTF-8.
template <typename Self, typename Visit>
requires std::is_same_v<std::remove_const_t<Self>, Manifest>
void each_field(Self& m, const Visit& visit) {
  visit("hardkuma", m.version);
  visit("command", m.command);
  visit("seed", m.seed);
  visit("epochs_done", m.epochs_done);
  visit("warnings", m.warnings);
}

// All but the measured splits.
template <typename Self, typename Visit>
requires std::is_same_v<std::remove_const_t<Self>, RunResults>
void each_field(Self& r, const Visit& visit) {
  visit("epoch", r.epoch);
  visit("target", r.target);
  visit("threshold", r.threshold);
  visit("before_calibration", r.before_calibration);
}

namespace {

using Json = nlohmann::ordered_json;

const std::pair<RunStatus, const char*> kStatus[] = {{RunStatus::Running, "running"},
                                                     {RunStatus::Stopped, "stopped"},
                                                     {RunStatus::Finished, "finished"}};

std::string status_name(RunStatus status) {
  for (const auto& [value, name] : kStatus) {
    if (value == status) return name;
  }
  throw InternalError("[manifest] no name for status {}", static_cast<int>(status));
}

Json results_json(const RunResults& results) {
  Json out = fields_to_json(results);
  for (const auto& [split, evaluation] : results.splits) out[split] = to_json(evaluation);
  return out;
}

RunResults results_from(const Json& json) {
  RunResults out;
  fields_from_json(json, out);
  for (const char* split : {"dev", "test"}) {
    if (json.contains(split)) out.splits[split] = evaluation_from_json(json.at(split));
  }
  return out;
}

Manifest manifest_from(const Json& json) {
  Manifest out;
  fields_from_json(json, out);
  out.data = restored_name(json.value("data", ""));
  const Json files = json.value("files", Json::object());
  for (const auto& [name, fingerprint] : files.items()) {
    out.fingerprints[restored_name(name)] = fingerprint.get<std::string>();
  }
  for (const auto& [value, name] : kStatus) {
    if (json.value("status", "") == name) out.status = value;
  }
  if (json.contains("results")) out.results = results_from(json.at("results"));
  return out;
}

}  // namespace

const std::string& RunResults::judged_by() const {
  if (splits.empty()) throw InternalError("[manifest] a finished run without results");
  return splits.rbegin()->first;  // "test" comes after "dev"
}

Json to_json(const Manifest& manifest) {
  Json out = fields_to_json(manifest);
  out["data"] = storable_name(manifest.data);
  out["files"] = Json::object();
  for (const auto& [name, fingerprint] : manifest.fingerprints) {
    out["files"][storable_name(name)] = fingerprint;
  }
  out["status"] = status_name(manifest.status);
  if (manifest.results) out["results"] = results_json(*manifest.results);
  return out;
}

std::optional<Manifest> read_manifest(const std::filesystem::path& directory) {
  const CommittedDirectory committed(directory);
  if (!committed.has_manifest()) return std::nullopt;
  try {
    return manifest_from(committed.manifest());
  } catch (const nlohmann::json::exception&) {
    throw InputError("{}: not a manifest of this version", (directory / "manifest.json").string());
  }
}

bool is_finished(const std::filesystem::path& directory) {
  const std::optional<Manifest> manifest = read_manifest(directory);
  return manifest && manifest->status == RunStatus::Finished;
}

}  // namespace hardkuma
