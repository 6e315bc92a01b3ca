#include "hardkuma/common/md5.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hardkuma {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const uint8_t byte : md5(bytes)) out += fmt::format("{:02x}", byte);
  return out;
}

TEST(Md5, AgreesWithTheRfc) {
  EXPECT_EQ(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

// By long division of the digest as a number: 0x9001…7f72 mod 100 for "abc".
TEST(Md5, ModuloIsThatOfTheWholeNumber) {
  EXPECT_EQ(md5_modulo("abc", 1), 0u);
  EXPECT_EQ(md5_modulo("abc", 16), 0x2u);
  EXPECT_EQ(md5_modulo("abc", 65536), 0x7f72u);
  EXPECT_EQ(md5_modulo("abc", 100), 70u);
}

}  // namespace
}  // namespace hardkuma
