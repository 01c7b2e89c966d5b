// Every format against numbers written out in its standard: codes on the left, values on the right, nothing derived.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/scalar.h"

namespace narrowgate::formats {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Values of all codes of a small format, in order.
std::vector<float> all_values(const Format& format) {
  std::vector<float> values;
  for (std::uint32_t code = 0; code < format.code_count(); ++code) values.push_back(decode(format, code));
  return values;
}

TEST(E4m3, OcpTable) {
  EXPECT_EQ(decode(kE4m3, 0x7E), 448.0f);
  EXPECT_EQ(decode(kE4m3, 0x08), 0x1p-6f);  // smallest normal
  EXPECT_EQ(decode(kE4m3, 0x07), 0.875f * 0x1p-6f);
  EXPECT_EQ(decode(kE4m3, 0x01), 0x1p-9f);
  EXPECT_EQ(decode(kE4m3, 0x38), 1.0f);
  EXPECT_EQ(decode(kE4m3, 0xB8), -1.0f);
  EXPECT_TRUE(std::isnan(decode(kE4m3, 0x7F)));  // not 480
  EXPECT_TRUE(std::isnan(decode(kE4m3, 0xFF)));
  EXPECT_TRUE(std::signbit(decode(kE4m3, 0x80)));
}

TEST(E5m2, OcpTable) {
  EXPECT_EQ(decode(kE5m2, 0x7B), 57344.0f);
  EXPECT_EQ(decode(kE5m2, 0x04), 0x1p-14f);
  EXPECT_EQ(decode(kE5m2, 0x01), 0x1p-16f);
  EXPECT_EQ(decode(kE5m2, 0x7C), kInfinity);
  EXPECT_EQ(decode(kE5m2, 0xFC), -kInfinity);
  for (const unsigned code : {0x7Du, 0x7Eu, 0x7Fu, 0xFDu, 0xFEu, 0xFFu}) EXPECT_TRUE(std::isnan(decode(kE5m2, code)));
}

TEST(Fnuz, TheCodeOfMinusZeroIsTheOnlyNan) {
  EXPECT_EQ(decode(kE4m3fnuz, 0x7F), 240.0f);
  EXPECT_EQ(decode(kE4m3fnuz, 0x08), 0x1p-7f);
  EXPECT_EQ(decode(kE4m3fnuz, 0x01), 0x1p-10f);
  EXPECT_TRUE(std::isnan(decode(kE4m3fnuz, 0x80)));
  EXPECT_EQ(decode(kE5m2fnuz, 0x7F), 57344.0f);
  EXPECT_EQ(decode(kE5m2fnuz, 0x04), 0x1p-15f);
  EXPECT_EQ(decode(kE5m2fnuz, 0x01), 0x1p-17f);
  EXPECT_TRUE(std::isnan(decode(kE5m2fnuz, 0x80)));
  EXPECT_EQ(encode(kE4m3fnuz, -0.0f), 0x00u);
  EXPECT_EQ(encode(kE4m3fnuz, -0x1p-20f), 0x00u);
}

TEST(E2m1, AllSixteen) {
  EXPECT_THAT(all_values(kE2m1), testing::ElementsAre(0, .5, 1, 1.5, 2, 3, 4, 6, -0.0, -.5, -1, -1.5, -2, -3, -4, -6));
}

TEST(E2m3, MxTable) {
  EXPECT_EQ(decode(kE2m3, 0x1F), 7.5f);
  EXPECT_EQ(decode(kE2m3, 0x08), 1.0f);
  EXPECT_EQ(decode(kE2m3, 0x01), 0.125f);
  EXPECT_EQ(decode(kE2m3, 0x3F), -7.5f);
}

TEST(E3m2, MxTable) {
  EXPECT_EQ(decode(kE3m2, 0x1F), 28.0f);
  EXPECT_EQ(decode(kE3m2, 0x04), 0.25f);
  EXPECT_EQ(decode(kE3m2, 0x01), 0.0625f);
}

TEST(E8m0, PowersOfTwo) {
  EXPECT_EQ(decode(kE8m0, 0x00), 0x1p-127f);
  EXPECT_EQ(decode(kE8m0, 0x01), 0x1p-126f);
  EXPECT_EQ(decode(kE8m0, 127), 1.0f);
  EXPECT_EQ(decode(kE8m0, 128), 2.0f);
  EXPECT_EQ(decode(kE8m0, 0xFE), 0x1p127f);
  EXPECT_TRUE(std::isnan(decode(kE8m0, 0xFF)));
  for (std::uint32_t code = 0; code < 255; ++code) EXPECT_EQ(decode(kE8m0, code), std::ldexp(1.0f, static_cast<int>(code) - 127));
}

TEST(E8m0, Rounding) {
  EXPECT_EQ(encode(kE8m0, 3.0f), 128u);   // the tie of 2 and 4: 2 has the even code
  EXPECT_EQ(encode(kE8m0, 1.5f), 128u);   // the tie of 1 and 2: again 2
  EXPECT_EQ(encode(kE8m0, 0.0f), 0x00u);  // no zero: the smallest number
  EXPECT_EQ(encode(kE8m0, 0x1.8p-127f), 0x00u);
  EXPECT_EQ(encode(kE8m0, 0x1.80001p-127f), 0x01u);
  EXPECT_EQ(encode(kE8m0, 0x1.8p127f), 0xFEu);
  EXPECT_EQ(encode(kE8m0, 0x1.9p127f), 0xFEu);
  EXPECT_EQ(encode(kE8m0, 0x1.9p127f, Rounding::nearest_even, Overflow::no_saturate), 0xFFu);
  EXPECT_EQ(encode(kE8m0, -1.0f), 0xFFu);
  EXPECT_EQ(encode(kE8m0, kNan), 0xFFu);
}

TEST(Mxint8, StepsOfOneSixtyFourth) {
  EXPECT_EQ(decode(kMxint8, 0x7F), 127.0f / 64.0f);
  EXPECT_EQ(decode(kMxint8, 0x01), 1.0f / 64.0f);
  EXPECT_EQ(decode(kMxint8, 0x80), -2.0f);
  EXPECT_EQ(encode(kMxint8, -2.0f), 0x81u);
  EXPECT_EQ(encode(kMxint8, 2.5f / 64.0f), 2u);
}

TEST(Integers, AllCodesOfTwoAndFourBits) {
  EXPECT_THAT(all_values(kInt2), testing::ElementsAre(0, 1, -2, -1));
  EXPECT_THAT(all_values(kUint2), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(all_values(kTernary), testing::ElementsAre(0, 1, -2, -1));
  EXPECT_THAT(all_values(kBinary), testing::ElementsAre(-1, 1));
  EXPECT_THAT(all_values(kInt4), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1));
}

TEST(Integers, ClampAfterRoundingAndNeverTheLowestCode) {
  EXPECT_EQ(encode(kInt8, -128.0f), 0x81u);
  EXPECT_EQ(encode(kInt8, 126.5f), 126u);
  EXPECT_EQ(encode(kInt8, 127.5f), 127u);
  EXPECT_EQ(encode(kInt4, -kInfinity), 0x9u);
  EXPECT_EQ(encode(kInt2, 1e30f), 1u);
  EXPECT_EQ(encode(kUint8, 254.5f), 254u);
  EXPECT_EQ(encode(kUint8, 1000.0f), 255u);
  EXPECT_EQ(encode(kUint4, -1.0f), 0u);
  EXPECT_EQ(encode(kTernary, -0.5f), 0u);
  EXPECT_EQ(encode(kTernary, -0.6f), 0x3u);
  EXPECT_EQ(encode(kBinary, -0.0f), 1u);
  EXPECT_EQ(encode(kBinary, -1e-40f), 0u);
}

TEST(E4m3, OverflowTiesAndPolicies) {
  EXPECT_EQ(encode(kE4m3, 464.0f), 0x7Eu);
  EXPECT_EQ(encode(kE4m3, std::nextafter(464.0f, 500.0f)), 0x7Eu);
  EXPECT_EQ(encode(kE4m3, 464.0f, Rounding::nearest_even, Overflow::no_saturate), 0x7Eu);
  EXPECT_EQ(encode(kE4m3, std::nextafter(464.0f, 500.0f), Rounding::nearest_even, Overflow::no_saturate), 0x7Fu);
  EXPECT_EQ(encode(kE4m3, -kInfinity), 0xFEu);
  EXPECT_EQ(encode(kE4m3, kInfinity, Rounding::nearest_even, Overflow::no_saturate), 0x7Fu);
  EXPECT_EQ(encode(kE4m3, kNan), 0x7Fu);
  EXPECT_EQ(encode(kE4m3, -0.0f), 0x80u);
  EXPECT_EQ(encode(kE4m3, 0x1p-10f), 0x00u);  // half the smallest: the tie goes to zero
  EXPECT_EQ(encode(kE4m3, 0x1.000002p-10f), 0x01u);
  EXPECT_EQ(encode(kE4m3, 1e-45f), 0x00u);
}

TEST(E5m2, OverflowTiesAndPolicies) {
  EXPECT_EQ(encode(kE5m2, 61440.0f), 0x7Bu);
  EXPECT_EQ(encode(kE5m2, 61440.0f, Rounding::nearest_even, Overflow::no_saturate), 0x7Cu);
  EXPECT_EQ(encode(kE5m2, 61439.0f, Rounding::nearest_even, Overflow::no_saturate), 0x7Bu);
  EXPECT_EQ(encode(kE5m2, 1e30f, Rounding::toward_zero, Overflow::no_saturate), 0x7Bu);
  EXPECT_EQ(encode(kE5m2, kInfinity), 0x7Bu);
  EXPECT_EQ(encode(kE5m2, -kInfinity, Rounding::nearest_even, Overflow::no_saturate), 0xFCu);
}

TEST(E2m1, EveryTieGoesToTheEvenCode) {
  EXPECT_EQ(encode(kE2m1, 0.25f), 0u);   // 0
  EXPECT_EQ(encode(kE2m1, 0.75f), 2u);   // 1
  EXPECT_EQ(encode(kE2m1, 1.25f), 2u);   // 1
  EXPECT_EQ(encode(kE2m1, 1.75f), 4u);   // 2
  EXPECT_EQ(encode(kE2m1, 2.5f), 4u);    // 2
  EXPECT_EQ(encode(kE2m1, 3.5f), 6u);    // 4
  EXPECT_EQ(encode(kE2m1, 5.0f), 6u);    // 4
  EXPECT_EQ(encode(kE2m1, -5.0f), 14u);  // −4
  EXPECT_EQ(encode(kE2m1, 1e9f, Rounding::nearest_even, Overflow::no_saturate), 7u);
}

TEST(NanWithoutACode, IsRefused) {
  for (const Format* format : {&kE2m1, &kE2m3, &kE3m2, &kInt8, &kUint4, &kMxint8, &kTernary, &kBinary}) {
    EXPECT_EQ(encode(*format, kNan), std::nullopt) << format->name;
  }
}

TEST(HalfAndBfloat, IeeeLiterals) {
  EXPECT_EQ(decode(kFp16, 0x7BFF), 65504.0f);
  EXPECT_EQ(decode(kFp16, 0x0001), 0x1p-24f);
  EXPECT_EQ(decode(kFp16, 0x3555), 0.333251953125f);
  EXPECT_EQ(encode(kFp16, 65519.0f, Rounding::nearest_even, Overflow::no_saturate), 0x7BFFu);
  EXPECT_EQ(encode(kFp16, 65520.0f, Rounding::nearest_even, Overflow::no_saturate), 0x7C00u);
  EXPECT_EQ(encode(kFp16, 0.1f), 0x2E66u);
  EXPECT_EQ(decode(kBf16, 0x3F80), 1.0f);
  EXPECT_EQ(decode(kBf16, 0x0001), 0x1p-133f);
  EXPECT_EQ(encode(kBf16, 3.14159265f), 0x4049u);
  EXPECT_EQ(encode(kBf16, 0x1.01p0f), 0x3F80u);  // tie
  EXPECT_EQ(encode(kBf16, 0x1.03p0f), 0x3F82u);  // tie
}

TEST(Scalar, IsUsableInConstantExpressions) {
  static_assert(encode(kE2m1, 5.0) == 6u);
  static_assert(decode(kE4m3, 0x7E) == 448.0f);
  static_assert(maximum(kE3m2) == 28.0f && maximum_exponent(kE3m2) == 4);
  static_assert(maximum_exponent(kE4m3) == 8 && maximum_exponent(kE5m2) == 15 && maximum_exponent(kMxint8) == 0);
  static_assert(maximum_exponent(kE2m1) == 2 && maximum_exponent(kE2m3) == 2);
}

TEST(FindFormat, ByNameOrNull) {
  EXPECT_EQ(find_format("e4m3"), &kE4m3);
  EXPECT_EQ(find_format("e9m9"), nullptr);
  EXPECT_EQ(std::size(kAllFormats), 19u);
}

}  // namespace
}  // namespace narrowgate::formats
