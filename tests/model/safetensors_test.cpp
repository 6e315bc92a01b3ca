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
