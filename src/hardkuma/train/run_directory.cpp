#include "hardkuma/train/run_directory.h"

#include <algorithm>
#include <array>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/train/manifest.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

// The files a training writes. The manifest is last: while it exists, the others are a run's.
constexpr std::array<const char*, 7> kRunFiles = {"checkpoint/state.safetensors",
                                                  "model.safetensors",
                                                  "metrics.jsonl",
                                                  "report.html",
                                                  "vocab.txt",
                                                  "config.toml",
                                                  "manifest.json"};

// Is the directory empty, apart from unfinished files of a killed run?
bool is_vacant(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const fs::path ending = entry.path().extension();
    if (ending != ".tmp" && ending != ".next") return false;
  }
  return true;
}

// Did we write its manifest?
bool is_ours(const fs::path& directory) {
  try {
    const std::optional<Manifest> manifest = read_manifest(directory);
    return manifest && !manifest->version.empty();
  } catch (const InputError&) {
    return false;  // foreign, or ours but damaged
  }
}

// A directory that is a link may hold foreign files.
void remove_events(const fs::path& directory) {
  if (!fs::is_directory(fs::symlink_status(directory))) return;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (is_event_file(entry.path())) fs::remove(entry.path());
  }
}

void remove_if_empty(const fs::path& directory) {
  std::error_code not_empty;
  if (fs::is_directory(fs::symlink_status(directory))) fs::remove(directory, not_empty);
}

std::map<std::string, std::string> known_files(const fs::path& directory) {
  return read_manifest(directory).value_or(Manifest{}).fingerprints;
}

}  // namespace

std::string event_file_name(double seconds_since_1970, int number) {
  return fmt::format("events.out.tfevents.{:.0f}.hardkuma.{}", seconds_since_1970, number);
}

bool is_event_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("events.out.tfevents.") && name.find(".hardkuma.") != std::string::npos &&
         fs::is_regular_file(fs::symlink_status(path));
}

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
  if (!is_ours(directory)) {
    throw InputError(
        "{}: holds no manifest.json that hardkuma wrote; --force replaces trained models only",
        name);
  }
}

void clear_run(const fs::path& directory) {
  const fs::path full_text = directory / kFullTextFolder;
  if (fs::is_directory(fs::symlink_status(full_text)) && is_ours(full_text)) {
    clear_run(full_text);
    remove_if_empty(full_text);
  }
  remove_events(directory / kEventFolder);
  remove_if_empty(directory / kEventFolder);
  for (const char* name : kRunFiles) {
    const fs::path file = directory / name;
    if (fs::is_symlink(fs::symlink_status(file.parent_path())) && file.parent_path() != directory) {
      continue;
    }
    fs::remove(fs::path(file.string() + ".next"));
    fs::remove(file);
    if (file.parent_path() != directory) remove_if_empty(file.parent_path());
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
    if (path.filename() != name || !fs::is_regular_file(path)) continue;  // pipes are read once
    std::string& known = hashed[path.string()];
    if (known.empty()) known = file_fingerprint(path);
    now[name] = known;
  }
  check_fingerprints(directory, now);
}

}  // namespace hardkuma
