#include "hardkuma/model/safetensors.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

TEST(Safetensors, SurviveTheFile) {
  const TempDirectory dir;
  const TensorFile file{{{"a", at::randn({2, 3})},
                         {"b", at::randn({4}, at::kDouble)},
                         {"c", at::arange(5)},
                         {"d", at::empty({0, 3})}},
                        {{"note", "x \"y\""}}};
  write_safetensors(dir.path() / "f", file);
  const TensorFile back = read_safetensors(dir.path() / "f");
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), 4u);
  for (const auto& [name, tensor] : file.tensors)
    EXPECT_TRUE(at::equal(back.tensors.at(name), tensor)) << name;
}

TEST(Safetensors, EveryTruncationIsAnInputError) {
  const TempDirectory dir;
  write_safetensors(dir.path() / "f", {{{"weights", at::randn({3, 5})}}, {}});
  const std::string bytes = read_file(dir.path() / "f");
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string path = dir.write("cut", bytes.substr(0, length));
    EXPECT_NE(
        message_of<InputError>([&] { read_safetensors(path); }).find("truncated or not a model"),
        std::string::npos)
        << length;
  }
}

// Its number of elements is 2^62, which times four bytes is 0 in 64 bits.
TEST(Safetensors, AShapeThatOverflowsIsAnInputError) {
  const TempDirectory dir;
  const auto with_shape = [&](const std::string& shape, size_t body) {
    std::string header = R"({"w":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[0,0]}})";
    while (header.size() % 8 != 0) header += ' ';
    std::string bytes(8, '\0');
    for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
    return dir.write("f", bytes + header + std::string(body, '\0'));
  };
  EXPECT_NE(message_of<InputError>([&] {
              read_safetensors(with_shape("4194304,1099511627776", size_t{1} << 23));
            }).find("truncated or not a model"),
            std::string::npos);
  EXPECT_EQ(read_safetensors(with_shape("3,0", 0)).tensors.at("w").numel(), 0);
}

TEST(Safetensors, EveryFlippedHeaderByteIsSurvived) {
  const TempDirectory dir;
  write_safetensors(dir.path() / "f", {{{"weights", at::randn({3, 5})}}, {}});
  const std::string bytes = read_file(dir.path() / "f");
  for (size_t at = 0; at < bytes.size() - 60; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    const std::string path = dir.write("bad", damaged);
    try {
      read_safetensors(path);
    } catch (const InputError&) {
      // Either it reads or it says so; it must not crash or allocate the moon.
    }
  }
}

}  // namespace
}  // namespace hardkuma
