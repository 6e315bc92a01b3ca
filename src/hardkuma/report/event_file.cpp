#include "hardkuma/report/event_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "hardkuma/common/error.h"
#include "hardkuma/train/run_directory.h"

namespace hardkuma {
namespace {

static_assert(std::endian::native == std::endian::little, "records are written as they lie");

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

template <typename T>
std::string bytes_of(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

// The wire format of protocol buffers: a key of field and kind, then the value.
enum Kind : uint64_t { kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5 };

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  return out + static_cast<char>(value);
}

std::string key(uint64_t field, Kind kind) {
  return varint(field << 3 | kind);
}

std::string text_field(uint64_t field, std::string_view text) {
  return key(field, kBytes) + varint(text.size()) + std::string(text);
}

// tensorflow.Event: 1 wall_time, 2 step, 3 file_version or 5 summary.
std::string event(int64_t step, const std::string& what) {
  std::string out = key(1, kEightBytes) + bytes_of(now());
  if (step > 0) out += key(2, kVarint) + varint(static_cast<uint64_t>(step));
  return out + what;
}

// tensorflow.Summary: 1 value, of 1 tag and 2 simple_value.
std::string summary(const std::map<std::string, double>& scalars) {
  std::string out;
  for (const auto& [name, value] : scalars) {
    out += text_field(
        1, text_field(1, name) + key(2, kFourBytes) + bytes_of(static_cast<float>(value)));
  }
  return out;
}

uint32_t masked(uint32_t crc) {
  return std::rotr(crc, 15) + 0xa282ead8u;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> out{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t x = i;
      for (int bit = 0; bit < 8; ++bit) x = (x & 1) != 0 ? x >> 1 ^ 0x82f63b78u : x >> 1;
      out[i] = x;
    }
    return out;
  }();
  uint32_t crc = 0xffffffffu;
  for (const char c : bytes) crc = table[(crc ^ static_cast<uint8_t>(c)) & 0xff] ^ crc >> 8;
  return ~crc;
}

EventFile::EventFile(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (int number = 0; !out_; ++number) {
    path_ = directory / event_file_name(now(), number);
    out_.reset(std::fopen(path_.c_str(), "wbxe"));
    if (!out_ && errno != EEXIST) fail();
  }
  write_record(event(0, text_field(3, "brain.Event:2")));
}

void EventFile::add(int64_t step, const std::map<std::string, double>& scalars) {
  write_record(event(step, text_field(5, summary(scalars))));
}

void EventFile::write_record(std::string_view event) {
  const std::string length = bytes_of(static_cast<uint64_t>(event.size()));
  const std::string record = length + bytes_of(masked(crc32c(length))) + std::string(event) +
                             bytes_of(masked(crc32c(event)));
  const bool written = std::fwrite(record.data(), 1, record.size(), out_.get()) == record.size();
  if (!written || std::fflush(out_.get()) != 0) fail();
}

void EventFile::fail() const {
  throw InputError("{}: cannot write: {}", path_.string(), std::strerror(errno));
}

}  // namespace hardkuma
