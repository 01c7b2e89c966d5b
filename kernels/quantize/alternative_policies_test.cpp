// Each policy that schemes do not follow, on an input where it differs from the pinned one and on one where not.
#include "kernels/quantize/alternative_policies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/formats/all_formats.h"

namespace narrowgate::quantize {
namespace {

using formats::kE2m1;
using formats::kE4m3;
using formats::kE5m2;
using formats::kInt4;
using formats::kInt8;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(TimesReciprocal, IsOneStepOffTheQuotient) {
  EXPECT_EQ(9.0f / 127.0f, 0x1.22448ap-4f);
  EXPECT_EQ(times_reciprocal(9.0f, 127.0f), 0x1.224488p-4f);
  EXPECT_EQ(times_reciprocal(9.0f, 64.0f), 0.140625f);  // exact by a power of two
}

TEST(TimesReciprocal, MovesACode) {
  // Half of a maximum of 9 stands at 63.5 codes, between which the rounding of the scale decides.
  EXPECT_EQ(formats::encode(kInt8, 4.5f / 0x1.22448ap-4f), 63u);
  EXPECT_EQ(formats::encode(kInt8, times_reciprocal(4.5f, 0x1.224488p-4f)), 64u);
}

TEST(WrappedCode, KeepsTheLowBits) {
  EXPECT_EQ(wrapped_code(kInt8, 127.0f), 0x7Fu);
  EXPECT_EQ(wrapped_code(kInt8, 128.0f), 0x80u);  // reads as −128
  EXPECT_EQ(wrapped_code(kInt8, 257.0f), 0x01u);
  EXPECT_EQ(wrapped_code(kInt8, -129.0f), 0x7Fu);
  EXPECT_EQ(wrapped_code(kInt8, 2.5f), 0x02u);  // ties to even
  EXPECT_EQ(wrapped_code(kInt4, -9.0f), 0x7u);
  EXPECT_EQ(wrapped_code(kInt8, 0x1p127f), 0x00u);
  EXPECT_EQ(wrapped_code(kInt8, kNan), std::nullopt);
  EXPECT_EQ(wrapped_code(kInt8, -kInfinity), std::nullopt);
}

float an_eighth(float amax) { return amax / 8.0f; }

TEST(OneForZeroBlock, IsOneForZerosOnly) {
  EXPECT_EQ(one_for_zero_block(0.0f, an_eighth), 1.0f);
  EXPECT_EQ(one_for_zero_block(16.0f, an_eighth), 2.0f);
}

TEST(NanForNonFiniteBlock, IsNanThereOnly) {
  EXPECT_TRUE(std::isnan(nan_for_non_finite_block(kInfinity, an_eighth)));
  EXPECT_TRUE(std::isnan(nan_for_non_finite_block(kNan, an_eighth)));
  EXPECT_EQ(nan_for_non_finite_block(16.0f, an_eighth), 2.0f);
}

TEST(Propagation, TheScaleSeesFiniteElementsOnly) {
  const float block[] = {1.0f, kNan, -6.0f, kInfinity};
  EXPECT_EQ(largest_finite_magnitude(block), 6.0f);
  EXPECT_EQ(largest_finite_magnitude(std::span(block).subspan(3)), 0.0f);
}

TEST(Propagation, NanAndInfinityAreTheFormatsOwn) {
  EXPECT_EQ(propagated_code(kE4m3, -6.0f, 2.0f), 0xC4u);    // −3
  EXPECT_EQ(propagated_code(kE4m3, 1e6f, 2.0f), 0x7Eu);     // finite overflow saturates all the same
  EXPECT_EQ(propagated_code(kE4m3, kNan, 2.0f), 0x7Fu);
  EXPECT_EQ(propagated_code(kE4m3, kInfinity, 2.0f), 0x7Fu);
  EXPECT_EQ(propagated_code(kE5m2, -kInfinity, 2.0f), 0xFCu);
  EXPECT_EQ(propagated_code(kE2m1, kInfinity, 2.0f), 0x7u);  // neither infinity nor NaN: the maximum
  EXPECT_EQ(propagated_code(kE2m1, kNan, 2.0f), std::nullopt);
}

}  // namespace
}  // namespace narrowgate::quantize
