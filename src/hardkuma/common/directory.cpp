#include "hardkuma/common/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/json.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "manifest.json";
constexpr const char* kOwn = "checksum";  // of the manifest's other bytes
constexpr const char* kFiles = "contents";
const std::string kNoOwn = "crc32:00000000:0000000000";  // placeholder while it is computed

// Computed incrementally.
class Checksum {
 public:
  void add(std::string_view bytes) {
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    size_ += bytes.size();
  }
  std::string text() const { return fmt::format("crc32:{:08x}:{}", crc_, size_); }
  std::string own_text() const { return fmt::format("crc32:{:08x}:{:010}", crc_, size_); }

 private:
  uLong crc_ = crc32_z(0, nullptr, 0);
  uint64_t size_ = 0;
};

fs::path next_of(const fs::path& directory, const std::string& name) {
  return directory / (name + ".next");
}

// Another process may rename the file at any moment.
std::optional<std::string> read_if_there(const fs::path& path) {
  std::error_code gone;
  if (!fs::is_regular_file(path, gone)) return std::nullopt;
  try {
    return read_file(path);
  } catch (const InputError&) {
    if (fs::exists(path, gone)) throw;
    return std::nullopt;
  }
}

// Replaces the manifest's own checksum in its text by the placeholder; returns it, if there is one.
std::optional<std::string> own_checksum(std::string& text) {
  const std::string key = fmt::format("\"{}\": \"", kOwn);
  const size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  const size_t from = at + key.size();
  if (from + kNoOwn.size() > text.size()) return std::nullopt;
  const std::string own = text.substr(from, kNoOwn.size());
  text.replace(from, kNoOwn.size(), kNoOwn);
  return own;
}

// Removes what a killed process left there. The lock keeps other processes out.
fs::path vacated(const fs::path& path) {
  std::error_code absent;
  fs::remove(path, absent);
  return path;
}

}  // namespace

std::string checksum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.text();
}

CommittedDirectory::CommittedDirectory(fs::path directory) : directory_(std::move(directory)) {
  const fs::path path = directory_ / kManifest;
  if (!fs::exists(path)) return;
  text_ = read_file(path);
  const auto damaged = [&] {
    return InputError(
        "{}: is damaged; restore it from a copy, or remove the directory and train again",
        path.string());
  };
  manifest_ = try_parse_json(text_);
  if (!manifest_.is_object()) throw damaged();
  std::string rest = text_;
  const std::optional<std::string> own = own_checksum(rest);
  if (!own) {
    // Versions before 0.2 wrote no checksums.
    if (manifest_.contains(kFiles) || !manifest_.contains("status")) throw damaged();
    return;
  }
  Checksum sum;
  sum.add(rest);
  if (*own != sum.own_text()) throw damaged();
  const auto files = manifest_.find(kFiles);
  if (files == manifest_.end()) return;
  try {
    checksums_ = files->get<std::map<std::string, std::string>>();
  } catch (const Json::exception&) {
    throw damaged();
  }
}

bool CommittedDirectory::has(const std::string& name) const {
  return checksums_.empty() ? fs::exists(directory_ / name) : checksums_.contains(name);
}

std::string CommittedDirectory::read(const std::string& name) const {
  const fs::path path = directory_ / name;
  if (checksums_.empty()) return read_file(path);
  const auto wanted = checksums_.find(name);
  if (wanted == checksums_.end()) throw InputError("{}: not part of this model", path.string());
  // After a commit the file may still be NAME.next, and be renamed between two reads.
  bool there = false;
  for (const fs::path& place : {path, next_of(directory_, name), path}) {
    std::optional<std::string> bytes = read_if_there(place);
    if (bytes && checksum_of(*bytes) == wanted->second) return std::move(*bytes);
    there = there || (bytes && place == path);
  }
  if (!there) throw InputError("{}: is missing; the model is incomplete", path.string());
  throw InputError(
      "{}: is damaged: its bytes are not those that training wrote; restore it, or "
      "train again",
      path.string());
}

void CommittedDirectory::verify(const std::set<std::string>& except) const {
  for (const auto& [name, checksum] : checksums_) {
    if (except.contains(name)) continue;
    if (fs::exists(directory_ / name) || fs::exists(next_of(directory_, name))) read(name);
  }
}

bool CommittedDirectory::outdated() const {
  const std::optional<std::string> now = read_if_there(directory_ / kManifest);
  return now.value_or("") != text_;
}

DirectoryCommit::DirectoryCommit(fs::path directory) : directory_(std::move(directory)) {
  checksums_ = CommittedDirectory(directory_).checksums();
  for (const auto& [name, checksum] : checksums_) {
    const fs::path next = next_of(directory_, name);
    const std::optional<std::string> bytes = read_if_there(next);
    if (!bytes) continue;
    if (checksum_of(*bytes) == checksum) {
      fs::rename(next, directory_ / name);
    } else {
      fs::remove(next);
    }
  }
}

DirectoryCommit::~DirectoryCommit() {
  std::error_code ignored;
  for (const std::string& name : added_) fs::remove(next_of(directory_, name), ignored);
}

void DirectoryCommit::add(const std::string& name, std::string_view content) {
  add(name, [&](const Sink& sink) { sink(content); });
}

void DirectoryCommit::add(const std::string& name, const std::function<void(const Sink&)>& write) {
  const fs::path path = directory_ / name;
  fs::create_directories(path.parent_path());
  added_.push_back(name);
  Checksum sum;
  NewFile file(path, vacated(next_of(directory_, name)));
  write([&](std::string_view piece) {
    sum.add(piece);
    file.write(piece);
  });
  file.leave();
  checksums_[name] = sum.text();
}

void DirectoryCommit::add_existing(const std::string& name) {
  checksums_[name] = checksum_of(read_file(directory_ / name));
}

void DirectoryCommit::finish(const Json& fields) {
  Json manifest = {{kOwn, kNoOwn}};
  manifest.update(fields);
  manifest[kFiles] = checksums_;
  std::string text = readable_json(manifest);
  Checksum sum;
  sum.add(text);
  text.replace(text.find(kNoOwn), kNoOwn.size(), sum.own_text());
  std::set<fs::path> folders = {directory_};
  for (const std::string& name : added_) folders.insert((directory_ / name).parent_path());
  for (const fs::path& folder : folders) sync_directory(folder);
  NewFile file(directory_ / kManifest, vacated(next_of(directory_, kManifest)));
  file.write(text);
  file.finish();
  const std::vector<std::string> added = std::exchange(added_, {});  // committed from here on
  for (const std::string& name : added) fs::rename(next_of(directory_, name), directory_ / name);
  for (const fs::path& folder : folders) sync_directory(folder);
}

DirectoryLock::DirectoryLock(const fs::path& directory)
    : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw InputError("{}: cannot open: {}", directory.string(), std::strerror(errno));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  ::close(descriptor_);
  if (reason == EWOULDBLOCK) {
    throw InputError("{}: another training writes here; wait for its end, or name another --out",
                     directory.string());
  }
  // The file system has no locks: go on without one.
  descriptor_ = -1;
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace hardkuma
