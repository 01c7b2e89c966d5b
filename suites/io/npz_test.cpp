// .npz archives: written, read back, damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "suites/io/npy.h"

namespace narrowgate::io {
namespace {

using testing::HasSubstr;

std::string temporary(const std::string& name) { return (std::filesystem::path(testing::TempDir()) / name).string(); }

std::vector<Tensor> two_tensors() {
  const float scales[] = {0.5f, 2.0f};
  const std::int8_t codes[] = {1, -1, 7};
  return {make_tensor("scales", ElementType::f32, {2}, scales), make_tensor("codes", ElementType::i8, {1, 3}, codes)};
}

TEST(Npz, WrittenThenRead) {
  const std::string path = temporary("two.npz");
  ASSERT_TRUE(write_npz(path, two_tensors()));
  const auto tensors = read_npz(path);
  ASSERT_TRUE(tensors) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].name, "scales");
  EXPECT_EQ((*tensors)[1].name, "codes");
  EXPECT_EQ((*tensors)[1].bytes, two_tensors()[1].bytes);
}

TEST(Npz, EveryTruncationIsAnErrorAndNoCrash) {
  const std::string path = temporary("cut.npz");
  ASSERT_TRUE(write_npz(path, two_tensors()));
  const auto whole = *read_file(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(write_file(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
    ASSERT_FALSE(read_npz(path)) << size;
  }
}

TEST(Npz, ChangedDataFailTheirChecksum) {
  const std::string path = temporary("changed.npz");
  ASSERT_TRUE(write_npz(path, two_tensors()));
  auto bytes = *read_file(path);
  bytes[30 + 10 + 100] ^= 1;  // inside the first entry's data
  ASSERT_TRUE(write_file(path, bytes));
  EXPECT_THAT(read_npz(path).error().message, HasSubstr("entry scales.npy: expected data that match their checksum"));
}

TEST(Npz, CompressedEntriesAreRefusedByName) {
  const std::string path = temporary("compressed.npz");
  ASSERT_TRUE(write_npz(path, {two_tensors()[0]}));
  auto bytes = *read_file(path);
  for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
    if (bytes[i] == 'P' && bytes[i + 1] == 'K' && bytes[i + 2] == 1) bytes[i + 10] = 8;
  }
  ASSERT_TRUE(write_file(path, bytes));
  EXPECT_THAT(read_npz(path).error().message, HasSubstr("expected a stored entry (numpy.savez), found a compressed one"));
}

TEST(Files, ThatAreNotThere) {
  EXPECT_THAT(read_npy("/no/such.npy").error().message, HasSubstr("/no/such.npy: open: expected a readable file"));
  EXPECT_THAT(write_file("/no/such/place", {1}).error().message, HasSubstr("write: expected a writable file"));
}

}  // namespace
}  // namespace narrowgate::io
