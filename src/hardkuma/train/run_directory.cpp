#include "hardkuma/train/run_directory.h"

#include <algorithm>
#include <array>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/train/manifest.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

// The manifest first: without it the others are no run.
constexpr std::array<const char*, 9> kRunFiles = {
    "manifest.json", "checkpoint", "full-text",   "model.safetensors", "metrics.jsonl",
    "report.html",   "vocab.txt",  "config.toml", "tensorboard"};

// Nothing there, or nothing but what a killed run was in the middle of writing.
bool is_vacant(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const fs::path ending = entry.path().extension();
    if (ending != ".tmp" && ending != ".next") return false;
  }
  return true;
}

// Also what is left where removing a run was interrupted.
bool holds_run_files(const fs::path& directory) {
  return std::any_of(kRunFiles.begin(), kRunFiles.end(),
                     [&](const char* name) { return fs::exists(directory / name); });
}

std::map<std::string, std::string> known_files(const fs::path& directory) {
  return read_manifest(directory).value_or(Manifest{}).fingerprints;
}

}  // namespace

bool is_run(const fs::path& directory) {
  return fs::exists(directory / "manifest.json");
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
  if (!holds_run_files(directory)) {
    throw InputError("{}: holds files that are not a run's; --force does not remove those", name);
  }
}

void clear_run(const fs::path& directory) {
  for (const char* name : kRunFiles) {
    fs::remove_all(directory / name);
    fs::remove(directory / (std::string(name) + ".next"));
  }
}

bool trained_on(const fs::path& directory, const std::string& fingerprint) {
  const auto files = known_files(directory);
  return std::any_of(files.begin(), files.end(),
                     [&](const auto& file) { return file.second == fingerprint; });
}

void check_fingerprints(const fs::path& directory,
                        const std::map<std::string, std::string>& fingerprints) {
  if (!read_manifest(directory)) return;
  const auto files = known_files(directory);
  const auto changed = [&](const std::string& name) {
    return InputError("{}: was begun on other data: {} has changed; start anew in another --out",
                      directory.string(), name);
  };
  for (const auto& [name, fingerprint] : fingerprints) {
    const auto found = files.find(name);
    if (found == files.end() || found->second != fingerprint) throw changed(name);
  }
  for (const auto& [name, fingerprint] : files) {
    if (!fingerprints.contains(name)) throw changed(name);
  }
}

void check_files(const fs::path& directory, const std::string& data, const std::string& vectors,
                 std::map<std::string, std::string>& hashed) {
  std::map<std::string, std::string> now;
  for (const auto& [name, fingerprint] : known_files(directory)) {
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
