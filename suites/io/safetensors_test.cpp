// safetensors files: written, read back, damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "suites/io/safetensors.h"

namespace narrowgate::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint8_t> file_of(const std::string& header, std::size_t data_bytes) {
  std::vector<std::uint8_t> bytes(8);
  bytes[0] = static_cast<std::uint8_t>(header.size());
  bytes[1] = static_cast<std::uint8_t>(header.size() >> 8);
  bytes.insert(bytes.end(), header.begin(), header.end());
  for (std::size_t i = 0; i < data_bytes; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
  return bytes;
}

std::string error_of(const std::vector<std::uint8_t>& bytes) {
  const auto tensors = parse_safetensors(bytes, "m.safetensors");
  return tensors ? "no error" : tensors.error().message;
}

TEST(Safetensors, ReadsTensorsInFileOrder) {
  const auto tensors = parse_safetensors(
      file_of(R"({"__metadata__":{"a":"b"},"z":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
              R"("a":{"dtype":"BF16","shape":[1,1],"data_offsets":[2,4]}})", 4), "m.safetensors");
  ASSERT_TRUE(tensors) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].name, "z");
  EXPECT_THAT((*tensors)[1].bytes, ElementsAre(2, 3));
  EXPECT_EQ(to_matrix((*tensors)[1], "m")->size(), 1);
}

TEST(Safetensors, EachDamageHasItsWords) {
  EXPECT_THAT(error_of({1, 2}), HasSubstr("m.safetensors: byte 0: expected eight bytes"));
  EXPECT_THAT(error_of({255, 0, 0, 0, 0, 0, 0, 0}), HasSubstr("a header within the file, found length 255"));
  EXPECT_THAT(error_of(std::vector<std::uint8_t>(16, 255)), HasSubstr("a header within the file"));
  EXPECT_THAT(error_of(file_of("{", 0)), HasSubstr("header: expected a JSON object"));
  EXPECT_THAT(error_of(file_of("[]", 0)), HasSubstr("header: expected a JSON object"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32"}})", 0)), HasSubstr("tensor a: expected an object of dtype"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F7","shape":[1],"data_offsets":[0,4]}})", 4)), HasSubstr("found F7"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
              HasSubstr("expected 8 bytes for float32 (2,), found offsets [0, 4]"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4)), HasSubstr("an object of"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3)), HasSubstr("cut short"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8)), HasSubstr("data at offset 0"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 5)), HasSubstr("end: expected 4"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                               R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", 3)), HasSubstr("offset 2, found 1"));
}

TEST(Safetensors, WrittenThenRead) {
  const auto path = (std::filesystem::path(testing::TempDir()) / "t.safetensors").string();
  const float values[] = {1.0f, -2.0f, 3.0f};
  ASSERT_TRUE(write_safetensors(path, {make_tensor("w", ElementType::f32, {1, 3}, values)}));
  const auto back = read_safetensors(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_THAT(to_matrix(back->at(0), path)->flat(), ElementsAre(1.0f, -2.0f, 3.0f));
}

}  // namespace
}  // namespace narrowgate::io
