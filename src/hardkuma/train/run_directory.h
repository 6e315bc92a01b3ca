#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace hardkuma {

/// The folder in a run for its full-text baseline, which is itself a run.
constexpr const char* kFullTextFolder = "full-text";

/// The folder for TensorBoard files. It may hold files of other programs.
constexpr const char* kEventFolder = "tensorboard";
std::string event_file_name(double seconds_since_1970, int number);
bool is_event_file(const std::filesystem::path& path);

/// Is there a run, that is, a manifest?
bool is_run(const std::filesystem::path& directory);

/// Throws InputError if a new run may not use the directory: it is not empty, and either `force` is
/// not set or its manifest is not ours. Changes nothing.
void check_claim(const std::filesystem::path& directory, bool force);

/// Removes only the files that a training writes, the manifest last. Follows no links.
void clear_run(const std::filesystem::path& directory);

/// Was a file with this fingerprint among the data of the run?
bool trained_on(const std::filesystem::path& directory, const std::string& fingerprint);

/// Throws InputError unless the data files are those the run began with.
void check_fingerprints(const std::filesystem::path& directory,
                        const std::map<std::string, std::string>& fingerprints);

/// The same for the run's files as found under `data`, a file or directory, and at `vectors`. A run
/// that has not begun passes. `hashed` caches fingerprints by path, so that a file of several runs
/// is read once.
void check_files(const std::filesystem::path& directory, const std::string& data,
                 const std::string& vectors, std::map<std::string, std::string>& hashed);

}  // namespace hardkuma
