#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// What a run says of itself in manifest.json.
struct Manifest {
  std::string command;
  std::string data;
  int64_t seed = 0;
  std::map<std::string, std::string> fingerprints;  ///< of the data and vector files
  std::string status;                               ///< "running", "stopped" or "finished"
  std::string results;                              ///< JSON, once finished; "" before
};

/// Throws InputError if a new run may not use the directory: it holds something, and not `force`,
/// or what it holds is not a run. Changes nothing.
void check_claim(const std::filesystem::path& directory, bool force);

/// Makes a directory ready for a new run, after check_claim: with `force` the files of the run it
/// holds are removed.
void claim_directory(const std::filesystem::path& directory, bool force);

/// Has a run begun here?
bool is_run(const std::filesystem::path& directory);

void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);

/// What the manifest says, or "" if there is none.
std::string run_status(const std::filesystem::path& directory);
std::string run_command(const std::filesystem::path& directory);
std::string run_data(const std::filesystem::path& directory);
std::string run_results(const std::filesystem::path& directory);  ///< JSON

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
