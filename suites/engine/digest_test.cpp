// The digest's canonical form, and one literal that pins the byte layout for ever.
#include "suites/engine/digest.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace narrowgate {
namespace {

Matrix<float> matrix(std::int64_t rows, std::int64_t cols, const std::vector<float>& values) {
  Matrix<float> x(rows, cols);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

TEST(Digest, IsXxh3Of128BitsOverLittleEndianFloats) {
  // python: xxhash.xxh3_128_hexdigest(struct.pack('<4f', 1, -2, 0.5, 0))
  EXPECT_EQ(digest(matrix(2, 2, {1.0f, -2.0f, 0.5f, 0.0f})), "4fcfe6839c618aef2da1d783cc354c23");
}

TEST(Digest, DoesNotSeeTheShapeOfEqualBytesButSeesEveryBit) {
  EXPECT_EQ(digest(matrix(1, 4, {1, 2, 3, 4})), digest(matrix(2, 2, {1, 2, 3, 4})));
  EXPECT_NE(digest(matrix(1, 1, {1.0f})), digest(matrix(1, 1, {std::nextafter(1.0f, 2.0f)})));
}

TEST(Digest, MinusZeroAndEveryNanAreCanonical) {
  EXPECT_EQ(canonical_bits(-0.0f), 0u);
  EXPECT_EQ(canonical_bits(std::bit_cast<float>(0xffc12345u)), 0x7fc00000u);
  EXPECT_EQ(canonical_bits(-std::numeric_limits<float>::infinity()), 0xff800000u);
  EXPECT_EQ(canonical_bits(std::numeric_limits<float>::denorm_min()), 1u);
}

}  // namespace
}  // namespace narrowgate
