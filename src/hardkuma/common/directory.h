#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/common/file.h"

namespace hardkuma {

/// A directory whose files change together. `manifest.json` names each of them with its checksum,
/// and one of its own; replacing the manifest is the commit.
///
///   DirectoryCommit commit(directory);
///   commit.add("config.toml", settings);
///   commit.add("model.safetensors", [&](const Sink& sink) { … });
///   commit.finish({{"status", "running"}});
///
/// New content is written as NAME.next and renamed to NAME after the commit. Whatever a killed
/// process leaves, CommittedDirectory reads the files of one commit: the last that was finished.

/// Checksum and size of a file's bytes: "crc32:1c291ca3:4096".
std::string checksum_of(std::string_view bytes);

/// What the last commit left.
class CommittedDirectory {
 public:
  /// Reads the manifest. A damaged one is an InputError. Without one nothing is verified.
  explicit CommittedDirectory(std::filesystem::path directory);

  bool has_manifest() const { return !manifest_.is_null(); }
  const nlohmann::ordered_json& manifest() const { return manifest_; }

  /// Are files named with their checksums? Versions before 0.2 named none.
  bool has_checksums() const { return !checksums_.empty(); }

  /// Did the last commit have this file? Without a manifest: is it there?
  bool has(const std::string& name) const;

  /// A file's bytes, verified. Missing or changed bytes are an InputError that names the file.
  std::string read(const std::string& name) const;

  /// Verifies every file that is still there (to delete a report is no damage) but these.
  void verify(const std::set<std::string>& except = {}) const;

  /// Has another commit replaced the manifest since?
  bool outdated() const;

 private:
  std::filesystem::path directory_;
  std::string text_;  // the manifest's
  nlohmann::ordered_json manifest_;
  std::map<std::string, std::string> checksums_;
};

/// Calls `read(committed)` until a commit by another process does not come between.
template <typename Read>
auto read_committed(const std::filesystem::path& directory, const Read& read) {
  for (int attempt = 0;; ++attempt) {
    const CommittedDirectory committed(directory);
    try {
      return read(committed);
    } catch (const std::exception&) {
      if (attempt == 10 || !committed.outdated()) throw;
    }
  }
}

/// The next commit. Files of the last one that are not added again stay as they are. Destroyed
/// without finish(), nothing has changed.
class DirectoryCommit {
 public:
  /// Also completes the renames of a commit whose process was killed.
  explicit DirectoryCommit(std::filesystem::path directory);
  ~DirectoryCommit();
  DirectoryCommit(const DirectoryCommit&) = delete;
  DirectoryCommit& operator=(const DirectoryCommit&) = delete;

  void add(const std::string& name, std::string_view content);
  void add(const std::string& name, const std::function<void(const Sink&)>& write);

  /// Names a file that stands there complete.
  void add_existing(const std::string& name);

  /// `fields`: what else the manifest says.
  void finish(const nlohmann::ordered_json& fields);

 private:
  std::filesystem::path directory_;
  std::map<std::string, std::string> checksums_;
  std::vector<std::string> added_;
};

/// Held while a process writes into a directory; released when the process ends, however it does.
class DirectoryLock {
 public:
  /// An InputError where another process or another lock of this one holds it.
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace hardkuma
