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

/// A directory whose files change together. `manifest.json` lists each file with its checksum, and
/// the manifest's own checksum; replacing the manifest is the commit.
///
///   DirectoryCommit commit(directory);
///   commit.add("config.toml", settings);
///   commit.add("model.safetensors", [&](const Sink& sink) { … });
///   commit.finish({{"status", "running"}});
///
/// New content is written as NAME.next and renamed to NAME after the commit. CommittedDirectory
/// reads the files of the last finished commit, even after a process was killed.

/// Checksum and size of a file's bytes: "crc32:1c291ca3:4096".
std::string checksum_of(std::string_view bytes);

/// The files of the last commit.
class CommittedDirectory {
 public:
  /// Reads the manifest. A damaged manifest is an InputError. Without a manifest, no file is
  /// verified.
  explicit CommittedDirectory(std::filesystem::path directory);

  bool has_manifest() const { return !manifest_.is_null(); }
  const nlohmann::ordered_json& manifest() const { return manifest_; }

  /// Does the manifest list checksums? Versions before 0.2 wrote none.
  bool has_checksums() const { return !checksums_.empty(); }
  const std::map<std::string, std::string>& checksums() const { return checksums_; }

  /// Is the file part of the last commit? Without checksums: does it exist?
  bool has(const std::string& name) const;

  /// A file's bytes, verified. Missing or changed bytes are an InputError that names the file.
  std::string read(const std::string& name) const;

  /// Verifies all files except these. Missing files are no error: users may delete a report.
  void verify(const std::set<std::string>& except = {}) const;

  /// Has another commit replaced the manifest since?
  bool outdated() const;

 private:
  std::filesystem::path directory_;
  std::string text_;  // the manifest's
  nlohmann::ordered_json manifest_;
  std::map<std::string, std::string> checksums_;
};

/// Calls `read(committed)`; tries again if another process commits meanwhile.
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

/// The next commit. Files of the last commit that are not added again are kept. Without finish(),
/// nothing changes.
class DirectoryCommit {
 public:
  /// Also completes the renames of a commit whose process was killed.
  explicit DirectoryCommit(std::filesystem::path directory);
  ~DirectoryCommit();
  DirectoryCommit(const DirectoryCommit&) = delete;
  DirectoryCommit& operator=(const DirectoryCommit&) = delete;

  void add(const std::string& name, std::string_view content);
  void add(const std::string& name, const std::function<void(const Sink&)>& write);

  /// Adds a file that is already in the directory, complete.
  void add_existing(const std::string& name);

  /// `fields`: further fields of the manifest.
  void finish(const nlohmann::ordered_json& fields);

 private:
  std::filesystem::path directory_;
  std::map<std::string, std::string> checksums_;
  std::vector<std::string> added_;
};

/// A lock on a directory, held while a process writes into it; released even if the process is
/// killed.
class DirectoryLock {
 public:
  /// Throws InputError if another process, or another lock of this process, holds it.
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace hardkuma
