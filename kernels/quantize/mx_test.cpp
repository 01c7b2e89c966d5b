// MX scales: the four rules on literals, then against their definitions over all binades, and the blocks that broke
// other implementations.
#include "kernels/quantize/mx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using formats::kE2m1;
using formats::kE2m3;
using formats::kE3m2;
using formats::kE4m3;
using formats::kE5m2;
using formats::kMxint8;
using testing::ElementsAre;

TEST(MxExponent, FloorIsTheExponentLessEmax) {
  EXPECT_EQ(mx_exponent(1.0f, kE4m3, MxRule::floor), -8);
  EXPECT_EQ(mx_exponent(1.0f, kE5m2, MxRule::floor), -15);
  EXPECT_EQ(mx_exponent(1.0f, kE3m2, MxRule::floor), -4);
  EXPECT_EQ(mx_exponent(1.0f, kE2m3, MxRule::floor), -2);
  EXPECT_EQ(mx_exponent(7.99f, kE2m1, MxRule::floor), 0);
  EXPECT_EQ(mx_exponent(1.0f, kMxint8, MxRule::floor), 0);
  // floor(log2f(x)) gives 3 here.
  EXPECT_EQ(mx_exponent(std::nextafter(8.0f, 0.0f), kMxint8, MxRule::floor), 2);
}

TEST(MxExponent, CeilLeavesPowersOfTwo) {
  EXPECT_EQ(mx_exponent(4.0f, kE2m1, MxRule::ceil), 0);
  EXPECT_EQ(mx_exponent(std::nextafter(4.0f, 5.0f), kE2m1, MxRule::ceil), 1);
}

TEST(MxExponent, RceilRisesOnlyAboveTheMaximum) {
  EXPECT_EQ(mx_exponent(6.0f, kE2m1, MxRule::rceil), 0);
  EXPECT_EQ(mx_exponent(std::nextafter(6.0f, 7.0f), kE2m1, MxRule::rceil), 1);
  EXPECT_EQ(mx_exponent(448.0f, kE4m3, MxRule::rceil), 0);
  EXPECT_EQ(mx_exponent(449.0f, kE4m3, MxRule::rceil), 1);
  EXPECT_EQ(mx_exponent(1.984375f, kMxint8, MxRule::rceil), 0);  // 127/64
  EXPECT_EQ(mx_exponent(1.99f, kMxint8, MxRule::rceil), 1);
}

TEST(MxExponent, EvenRoundsAmaxToTheElementsMantissa) {
  // E2M1 has one mantissa bit: [7, 8) rounds up to 8.
  EXPECT_EQ(mx_exponent(6.99f, kE2m1, MxRule::even), 0);
  EXPECT_EQ(mx_exponent(7.0f, kE2m1, MxRule::even), 1);
  EXPECT_EQ(mx_exponent(479.9f, kE4m3, MxRule::even), 0);
  EXPECT_EQ(mx_exponent(496.0f, kE4m3, MxRule::even), 1);
  EXPECT_EQ(mx_exponent(std::numeric_limits<float>::max(), kE2m1, MxRule::even), 126);
}

TEST(MxExponent, ClampsAndZero) {
  for (const MxRule rule : {MxRule::floor, MxRule::ceil, MxRule::rceil, MxRule::even}) {
    EXPECT_EQ(mx_exponent(0.0f, kE4m3, rule), -127);
    EXPECT_EQ(mx_exponent(1e-44f, kE4m3, rule), -127);
    EXPECT_LE(mx_exponent(std::numeric_limits<float>::max(), kMxint8, rule), 127);
  }
  EXPECT_EQ(mx_exponent(0x1p-130f, kMxint8, MxRule::floor), -127);
  EXPECT_EQ(mx_exponent(0x1p-126f, kMxint8, MxRule::floor), -126);
  EXPECT_EQ(mx_exponent(0x1.8p-127f, kMxint8, MxRule::floor), -127);  // an FP32 subnormal
}

// The definition, by multiplication alone: the smallest power of two for which amax does not saturate.
TEST(MxExponent, RceilIsTheSmallestThatHoldsAmax) {
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const float amax = std::bit_cast<float>(philox_word({.seed = 9}, i) & 0x7FFFFFFFu);
    if (!std::isfinite(amax)) continue;
    for (const formats::Format* element : {&kE4m3, &kE5m2, &kE2m3, &kE3m2, &kE2m1, &kMxint8}) {
      const int exponent = mx_exponent(amax, *element, MxRule::rceil);
      const double maximum = formats::maximum(*element);
      ASSERT_TRUE(exponent == 127 || amax <= std::ldexp(maximum, exponent)) << amax;
      ASSERT_TRUE(exponent == -127 || amax > std::ldexp(maximum, exponent - 1)) << amax;
    }
  }
}

// Every rule against its formula, in double, on the ends and the middle of all binades, subnormals included.
TEST(MxExponent, AllRulesEqualTheirFormulas) {
  for (const formats::Format* element : {&kE4m3, &kE5m2, &kE2m3, &kE3m2, &kE2m1, &kMxint8}) {
    const int mantissa_bits = element->is_floating() ? element->mantissa_bits : 6;
    const int emax = std::ilogb(formats::maximum(*element));
    const auto clamped = [&](int exponent) { return std::clamp(exponent - emax, -127, 127); };
    for (std::uint32_t i = 1; i < 4 * 255; ++i) {
      for (const std::uint32_t offset : {0u, 1u, 0x1FFFFFu}) {
        const std::uint32_t bits = i * 0x200000 + offset;
        const float amax = std::bit_cast<float>(bits);
        const float bumped = std::bit_cast<float>(bits + (1u << (22 - mantissa_bits)));
        const int floor = std::ilogb(amax);
        const bool is_power = std::ldexp(1.0, floor) == amax;
        ASSERT_EQ(mx_exponent(amax, *element, MxRule::floor), clamped(floor));
        ASSERT_EQ(mx_exponent(amax, *element, MxRule::ceil), clamped(is_power ? floor : floor + 1));
        ASSERT_EQ(mx_exponent(amax, *element, MxRule::even), clamped(std::isfinite(bumped) ? std::ilogb(bumped) : 128));
      }
    }
  }
}

TEST(Mx, BlocksOf32AlongEitherAxisWithATail) {
  std::vector<float> x(40, 0.5f);
  x[3] = 6.0f;
  x[35] = 48.0f;
  const auto by_cols = mx(as_row(x), kE2m1, MxRule::floor, BlockAxis::cols);
  const auto by_rows = mx(as_column(x), kE2m1, MxRule::floor, BlockAxis::rows);
  EXPECT_THAT(by_cols->scales, ElementsAre(1.0f, 8.0f));
  EXPECT_THAT(by_rows->scales, ElementsAre(1.0f, 8.0f));
  EXPECT_EQ(by_cols->dequantized(0, 3), 6.0);
  EXPECT_EQ(by_cols->dequantized(0, 0), 0.5);
  EXPECT_EQ(by_cols->dequantized(0, 39), 0.0);
  EXPECT_EQ(by_cols->dequantized(0, 35), 48.0);
  EXPECT_EQ(dequantized_values(*by_cols), dequantized_values(*by_rows));
}

TEST(Mx, FloorSaturatesAQuarterOfAmaxInE2m1) {
  const auto q = mx(as_row({7.99f, 1.0f}), kE2m1, MxRule::floor, BlockAxis::cols);
  EXPECT_EQ(q->dequantized(0, 0), 6.0);
  EXPECT_EQ(mx(as_row({7.99f}), kE2m1, MxRule::rceil, BlockAxis::cols)->dequantized(0, 0), 8.0);
}

TEST(Mx, ZeroBlocksAndTinyBlocksStayFinite) {
  for (const formats::Format* element : {&kE4m3, &kE5m2, &kE2m3, &kE3m2, &kE2m1, &kMxint8}) {
    const auto zero = mx(as_row(std::vector<float>(32, 0.0f)), *element, MxRule::floor, BlockAxis::cols);
    EXPECT_THAT(zero->scales, ElementsAre(0x1p-127f));
    EXPECT_THAT(zero->codes.flat(), testing::Each(0));
    const auto tiny = mx(as_row({1e-35f, -1e-38f, 1e-45f}), *element, MxRule::rceil, BlockAxis::cols);
    EXPECT_NEAR(tiny->dequantized(0, 0), 1e-35, 1e-35 / 3);
  }
}

TEST(Mx, MinusZeroKeepsItsSign) {
  const auto q = mx(as_row({-0.0f, 1.0f}), kE2m1, MxRule::floor, BlockAxis::cols);
  EXPECT_EQ(static_cast<std::uint8_t>(q->codes(0, 0)), 0x8u);
}

TEST(Mx, RefusesWhatIsNotFinite) {
  std::vector<float> x(70, 1.0f);
  x[65] = std::numeric_limits<float>::infinity();
  const auto q = mx(as_row(x), kE4m3, MxRule::floor, BlockAxis::cols);
  ASSERT_FALSE(q);
  EXPECT_THAT(q.error().reason, testing::HasSubstr("row 0, column 65 is inf"));
}

TEST(Mx, StorageCost) {
  const Matrix<float> x = gaussian_matrix(64, 64);
  EXPECT_EQ(bits_per_weight(*mx(x.view(), kE2m1, MxRule::floor, BlockAxis::rows)), 4.25);
  EXPECT_EQ(bits_per_weight(*mx(x.view(), kE4m3, MxRule::floor, BlockAxis::rows)), 8.25);
}

}  // namespace
}  // namespace narrowgate::quantize
