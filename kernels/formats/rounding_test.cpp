// Rounding toward zero and stochastic rounding: the neighbours, the probability, and what must stay fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/span_codec.h"

namespace narrowgate::formats {
namespace {

float toward_zero(const Format& format, float x) { return decode(format, *encode(format, x, Rounding::toward_zero)); }

TEST(TowardZero, Literals) {
  EXPECT_EQ(toward_zero(kE2m1, 5.99f), 4.0f);
  EXPECT_EQ(toward_zero(kE2m1, -0.49f), 0.0f);
  EXPECT_EQ(toward_zero(kE4m3, 1.99f), 1.875f);
  EXPECT_EQ(toward_zero(kE4m3, -1e9f), -448.0f);
  EXPECT_EQ(toward_zero(kInt8, -2.9f), -2.0f);
  EXPECT_EQ(toward_zero(kE8m0, 3.99f), 2.0f);
}

// The share of 2³² random words that round 1 + share/8 of E4M3 (neighbours 1 and 1.125) up is `share`.
TEST(Stochastic, TheThresholdIsTheExactShare) {
  const float x = 1.0f + 0.375f / 8;
  const auto below = encode(kE4m3, x, Rounding::stochastic, Overflow::saturate, 0x5FFFFFFF);
  const auto at = encode(kE4m3, x, Rounding::stochastic, Overflow::saturate, 0x60000000);
  EXPECT_EQ(decode(kE4m3, *below), 1.125f);
  EXPECT_EQ(decode(kE4m3, *at), 1.0f);
}

TEST(Stochastic, MeanOfManyIsUnbiased) {
  constexpr std::size_t kCount = 1 << 20;
  for (const float x : {0.3f, -1.8f, 5.1f, 0.0625f}) {
    const std::vector<float> input(kCount, x);
    std::vector<std::uint8_t> codes(kCount);
    ASSERT_FALSE(encode_span_stochastic(kE2m1, input, codes, RandomStream{.seed = 7}));
    double sum = 0;
    for (const std::uint8_t code : codes) sum += decode(kE2m1, code);
    // The standard deviation of the mean is at most half a step (1.0 here) / √count ≈ 0.001.
    EXPECT_NEAR(sum / kCount, x, 0.005) << x;
  }
}

TEST(Stochastic, GivesOneOfTheTwoNeighbours) {
  const RandomStream stream{.seed = 3};
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const float x = (uniform_from_word(philox_word(stream, i)) - 0.5f) * 14.0f;
    const auto code = encode(kE2m1, x, Rounding::stochastic, Overflow::saturate, philox_word(stream, ~i));
    const float down = toward_zero(kE2m1, x);
    const float value = decode(kE2m1, *code);
    if (std::fabs(x) >= 6) {
      ASSERT_EQ(std::fabs(value), 6.0f);
    } else {
      const std::uint32_t up = *encode(kE2m1, std::fabs(x), Rounding::toward_zero) + 1;
      ASSERT_TRUE(value == down || std::fabs(value) == decode(kE2m1, up)) << x << " gave " << value;
    }
  }
}

TEST(Stochastic, KeepsNanAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::uint32_t random : {0u, 0xFFFFFFFFu}) {
    EXPECT_EQ(encode(kE5m2, inf, Rounding::stochastic, Overflow::no_saturate, random), 0x7Cu);
    EXPECT_EQ(encode(kE4m3, std::nanf(""), Rounding::stochastic, Overflow::no_saturate, random), 0x7Fu);
  }
}

TEST(Stochastic, DependsOnPositionNotOnThreads) {
  std::vector<float> input(200000, 0.3f);
  std::vector<std::uint8_t> whole(input.size());
  ASSERT_FALSE(encode_span_stochastic(kE2m1, input, whole, RandomStream{.seed = 1}));
  for (const std::size_t i : {0ul, 1ul, 65535ul, 65536ul, 199999ul}) {
    const auto code = encode(kE2m1, input[i], Rounding::stochastic, Overflow::saturate, philox_word({.seed = 1}, i));
    EXPECT_EQ(whole[i], *code);
  }
}

}  // namespace
}  // namespace narrowgate::formats
