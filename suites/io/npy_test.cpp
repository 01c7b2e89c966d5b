// .npy files byte by byte: what NumPy writes is read, and each kind of damage gets its own words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/io/npy.h"

namespace narrowgate::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A version 1 file with the given dictionary and data.
std::vector<std::uint8_t> npy(const std::string& dictionary, const std::vector<std::uint8_t>& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += {static_cast<char>(dictionary.size()), '\0'};
  bytes += dictionary + std::string(data.begin(), data.end());
  return {bytes.begin(), bytes.end()};
}

constexpr auto kTwoFloats = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }  \n";
const std::vector<std::uint8_t> kOneAndMinusTwo = {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0};

std::string error_of(const std::vector<std::uint8_t>& bytes) {
  const auto tensor = parse_npy(bytes, "x.npy").and_then([](const Tensor& t) { return to_matrix(t, "x.npy"); });
  return tensor ? "no error" : tensor.error().message;
}

TEST(Npy, ReadsWhatNumpyWrites) {
  const auto tensor = parse_npy(npy(kTwoFloats, kOneAndMinusTwo), "x.npy");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_THAT(tensor->shape, ElementsAre(1, 2));
  EXPECT_THAT(to_matrix(*tensor, "x.npy")->flat(), ElementsAre(1.0f, -2.0f));
}

TEST(Npy, KeysInAnyOrderAndARowOfRankOne) {
  const auto bytes = npy("{\"shape\":(2,),'fortran_order':False,'descr':'<f2'}", {0, 0x3C, 0, 0xC0});
  EXPECT_THAT(to_matrix(*parse_npy(bytes, "x.npy"), "x.npy")->flat(), ElementsAre(1.0f, -2.0f));
}

TEST(Npy, EachDamageHasItsWords) {
  EXPECT_THAT(error_of({}), HasSubstr("x.npy: byte 0: expected the magic of an .npy file"));
  EXPECT_THAT(error_of({'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0}), HasSubstr("byte 0"));
  auto version = npy(kTwoFloats, kOneAndMinusTwo);
  version[6] = 9;
  EXPECT_THAT(error_of(version), HasSubstr("x.npy: byte 6: expected .npy format 1, 2 or 3, found 9"));
  auto cut = npy(kTwoFloats, kOneAndMinusTwo);
  cut.pop_back();
  EXPECT_THAT(error_of(cut), HasSubstr("expected 8 bytes of float32 (1, 2), found 7"));
  cut.resize(20);
  EXPECT_THAT(error_of(cut), HasSubstr("x.npy: header: expected 62 bytes, found 10"));
  auto longer = npy(kTwoFloats, kOneAndMinusTwo);
  longer.push_back(0);
  EXPECT_THAT(error_of(longer), HasSubstr("found 9"));
}

TEST(Npy, WrongContents) {
  const auto with = [](const std::string& descriptor, const std::string& order, const std::string& shape) {
    return error_of(npy("{'descr': '" + descriptor + "', 'fortran_order': " + order + ", 'shape': " + shape + "}",
                        std::vector<std::uint8_t>(8)));
  };
  EXPECT_THAT(with("<f4", "True", "(1, 2)"), HasSubstr("x.npy: header: expected C order, found fortran_order True"));
  EXPECT_THAT(with(">f4", "False", "(1, 2)"), HasSubstr("little-endian number type such as '<f4', found '>f4'"));
  EXPECT_THAT(with("<f8", "False", "(1, 1)"), HasSubstr("expected float32, float16 or bfloat16, found float64"));
  EXPECT_THAT(with("<f4", "False", "(1, 1, 2)"), HasSubstr("expected a tensor of rank 1 or 2, found shape (1, 1, 2)"));
  EXPECT_THAT(with("<f4", "False", "()"), HasSubstr("found 8"));
  EXPECT_THAT(with("<f4", "False", "(4000000000, 4000000000)"), HasSubstr("a shape that fits memory"));
  EXPECT_THAT(with("<f4", "Maybe", "(1, 2)"), HasSubstr("a dictionary of descr, fortran_order and shape"));
  EXPECT_THAT(with("<f4", "False", "(1 2)"), HasSubstr("a dictionary"));
  EXPECT_THAT(with("<f4", "False", "(-1, 2)"), HasSubstr("a dictionary"));
}

TEST(Npy, WritesWhatItReads) {
  const std::vector<std::int32_t> data = {1, -2, 3, 4, 5, 6};
  const Tensor tensor = make_tensor("t", ElementType::i32, {2, 3}, data.data());
  const auto bytes = npy_bytes(tensor);
  EXPECT_EQ(bytes->size() % 8, 0u);
  EXPECT_EQ((bytes->size() - 24) % 64, 0u);  // data aligned as NumPy aligns them
  const auto back = parse_npy(*bytes, "x.npy");
  EXPECT_EQ(back->type, ElementType::i32);
  EXPECT_EQ(back->shape, tensor.shape);
  EXPECT_EQ(back->bytes, tensor.bytes);
}

TEST(Npy, EmptyArraysHaveNoBytes) {
  const auto tensor = parse_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5)}", {}), "x.npy");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(to_matrix(*tensor, "x.npy")->size(), 0);
}

}  // namespace
}  // namespace narrowgate::io
