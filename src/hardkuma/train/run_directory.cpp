#include "hardkuma/train/run_directory.h"

#include <array>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/version.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 9> kRunFiles = {
    "checkpoint", "full-text",   "model.safetensors", "metrics.jsonl", "report.html",
    "vocab.txt",  "config.toml", "manifest.json",     "tensorboard"};

Json read_manifest(const fs::path& directory) {
  const fs::path path = directory / "manifest.json";
  if (!fs::exists(path)) return Json::object();
  Json manifest = Json::parse(read_file(path), nullptr, false);
  if (!manifest.is_object()) throw InputError("{}: not valid JSON", path.string());
  return manifest;
}

std::string text_of(const Json& manifest, const char* key) {
  const auto found = manifest.find(key);
  return found != manifest.end() && found->is_string() ? found->get<std::string>() : "";
}

// Nothing there, or nothing but what a killed run was in the middle of writing.
bool is_vacant(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".tmp") return false;
  }
  return true;
}

}  // namespace

bool is_run(const fs::path& directory) {
  return fs::exists(directory / "manifest.json") || fs::exists(directory / "config.toml");
}

void check_claim(const fs::path& directory, bool force) {
  std::error_code error;
  if (!fs::exists(directory, error)) return;
  const std::string name = directory.string();
  if (!fs::is_directory(directory)) throw InputError("{}: exists and is not a directory", name);
  if (is_vacant(directory)) return;
  if (!force) {
    throw InputError(
        "{}: exists and is not empty; go on with --resume, replace it with --force, or name "
        "another --out",
        name);
  }
  if (!is_run(directory)) {
    throw InputError("{}: holds files that are not a run's; --force does not remove those", name);
  }
}

void claim_directory(const fs::path& directory, bool force) {
  check_claim(directory, force);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw InputError("{}: cannot create: {}", directory.string(), error.message());
  for (const char* name : kRunFiles) fs::remove_all(directory / name);
}

void write_manifest(const fs::path& directory, const Manifest& manifest) {
  Json out = {{"hardkuma", kVersion},           {"command", manifest.command},
              {"data", manifest.data},          {"seed", manifest.seed},
              {"files", manifest.fingerprints}, {"status", manifest.status}};
  if (!manifest.results.empty()) out["results"] = Json::parse(manifest.results);
  write_file(directory / "manifest.json",
             out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string run_status(const fs::path& directory) {
  return text_of(read_manifest(directory), "status");
}

std::string run_command(const fs::path& directory) {
  return text_of(read_manifest(directory), "command");
}

std::string run_data(const fs::path& directory) {
  return text_of(read_manifest(directory), "data");
}

std::string run_results(const fs::path& directory) {
  const Json manifest = read_manifest(directory);
  const auto found = manifest.find("results");
  return found == manifest.end() ? "" : found->dump();
}

bool trained_on(const fs::path& directory, const std::string& fingerprint) {
  const Json manifest = read_manifest(directory);
  const auto files = manifest.find("files");
  if (files == manifest.end() || !files->is_object()) return false;
  for (const auto& [name, value] : files->items()) {
    if (value == fingerprint) return true;
  }
  return false;
}

void check_fingerprints(const fs::path& directory,
                        const std::map<std::string, std::string>& fingerprints) {
  const Json manifest = read_manifest(directory);
  const auto files = manifest.find("files");
  if (files == manifest.end() || !files->is_object()) return;
  const auto changed = [&](const std::string& name) {
    return InputError("{}: was begun on other data: {} has changed; start anew in another --out",
                      directory.string(), name);
  };
  for (const auto& [name, fingerprint] : fingerprints) {
    if (text_of(*files, name.c_str()) != fingerprint) throw changed(name);
  }
  for (const auto& [name, fingerprint] : files->items()) {
    if (!fingerprints.contains(name)) throw changed(name);
  }
}

void check_files(const fs::path& directory, const std::string& data, const std::string& vectors,
                 std::map<std::string, std::string>& hashed) {
  const Json manifest = read_manifest(directory);
  const auto files = manifest.find("files");
  if (files == manifest.end() || !files->is_object()) return;
  std::map<std::string, std::string> now;
  for (const auto& [name, fingerprint] : files->items()) {
    const fs::path path = fs::path(vectors).filename() == name ? fs::path(vectors)
                          : fs::is_directory(data)             ? fs::path(data) / name
                                                               : fs::path(data);
    if (path.filename() != name || !fs::exists(path)) continue;
    std::string& known = hashed[path.string()];
    if (known.empty()) known = file_fingerprint(path);
    now[name] = known;
  }
  check_fingerprints(directory, now);
}

}  // namespace hardkuma
