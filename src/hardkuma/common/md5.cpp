#include "hardkuma/common/md5.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace hardkuma {
namespace {

constexpr int kRotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// floor(2^32 |sin(i + 1)|).
std::array<uint32_t, 64> sines() {
  std::array<uint32_t, 64> out{};
  for (size_t i = 0; i < out.size(); ++i) {
    const double value = std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
    out[i] = static_cast<uint32_t>(value);
  }
  return out;
}

void digest_block(const char* block, std::array<uint32_t, 4>& state) {
  static const std::array<uint32_t, 64> sine = sines();
  static_assert(std::endian::native == std::endian::little);
  uint32_t words[16];
  std::memcpy(words, block, sizeof(words));
  auto [a, b, c, d] = state;
  for (size_t i = 0; i < 64; ++i) {
    const size_t round = i / 16;
    uint32_t mixed = 0;
    size_t word = 0;
    switch (round) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = (5 * i + 1) % 16;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i % 16;
    }
    const uint32_t sum = a + mixed + sine[i] + words[word];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[round][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::array<uint8_t, 16> md5(std::string_view bytes) {
  std::string padded(bytes);
  padded += '\x80';
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8, '\0');
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  padded.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  std::array<uint32_t, 4> state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  for (size_t at = 0; at < padded.size(); at += 64) digest_block(padded.data() + at, state);
  std::array<uint8_t, 16> out{};
  std::memcpy(out.data(), state.data(), out.size());
  return out;
}

uint64_t md5_modulo(std::string_view bytes, uint64_t n) {
  uint64_t rest = 0;
  for (const uint8_t byte : md5(bytes)) rest = (rest * 256 + byte) % n;
  return rest;
}

}  // namespace hardkuma
