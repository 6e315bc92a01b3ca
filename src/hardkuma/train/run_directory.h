#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace hardkuma {

/// Where a run keeps the full-text model that it is compared with, a run of its own.
constexpr const char* kFullTextFolder = "full-text";

/// Where it keeps files for TensorBoard. Others may put theirs beside them.
constexpr const char* kEventFolder = "tensorboard";
std::string event_file_name(double seconds_since_1970, int number);
bool is_event_file(const std::filesystem::path& path);

/// Has a run begun here? It has as soon as there is a manifest.
bool is_run(const std::filesystem::path& directory);

/// Throws InputError if a new run may not use the directory: it holds something, and not `force`,
/// or its manifest is not one of ours. Changes nothing.
void check_claim(const std::filesystem::path& directory, bool force);

/// Removes the files that a training writes and nothing else, the manifest last. Follows no links.
void clear_run(const std::filesystem::path& directory);

/// Was a file with this fingerprint among the data of the run?
bool trained_on(const std::filesystem::path& directory, const std::string& fingerprint);

/// Throws InputError unless the data files are those the run began with.
void check_fingerprints(const std::filesystem::path& directory,
                        const std::map<std::string, std::string>& fingerprints);

/// Likewise, by looking for the files it names under `data`, a file or directory, and at `vectors`.
/// Of a run that has not begun there is nothing to say. `hashed` are fingerprints by path: what was
/// read for one run need not be for the next.
void check_files(const std::filesystem::path& directory, const std::string& data,
                 const std::string& vectors, std::map<std::string, std::string>& hashed);

}  // namespace hardkuma
