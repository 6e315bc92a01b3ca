#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hardkuma {

/// MD5 (RFC 1321), for hashing words as published models do. Not for security.
std::array<uint8_t, 16> md5(std::string_view bytes);

/// The digest, read as a big-endian number, modulo `n` in [1, 2^32).
uint64_t md5_modulo(std::string_view bytes, uint64_t n);

}  // namespace hardkuma
