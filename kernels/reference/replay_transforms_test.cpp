// Pruning, rotation and channel factors replayed, against worked examples and, bit for bit, against the fast ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/quantize/prune24.h"
#include "kernels/reference/replay_inputs.h"

namespace narrowgate::reference {
namespace {

using quantize::as_column;
using quantize::as_row;
using quantize::BlockAxis;
using quantize::FactorRounding;
using testing::ElementsAre;

constexpr float kLargest = std::numeric_limits<float>::max();

TEST(ReplayPrune24, WorkedExample) {
  EXPECT_THAT(replay_prune24(as_column({1.0f, -3.0f, 3.0f, 2.0f, 5.0f, -5.0f, 5.0f})).flat(),
              ElementsAre(0.0f, -3.0f, 3.0f, 0.0f, 5.0f, -5.0f, 0.0f));
}

TEST(ReplayHadamard, FourElementsByHand) {
  const RandomStream signs{.seed = 11};
  const auto sign = [&](std::uint64_t k) { return philox_word(signs, k) < 0x80000000u ? 1.0f : -1.0f; };
  const float a = sign(0) * 1, b = sign(1) * 2, c = sign(2) * 3, d = sign(3) * 4;
  const std::vector<float> x = {1.0f, 2.0f, 3.0f, 4.0f, 9.0f};  // the last is a tail
  EXPECT_THAT(replay_hadamard_rotated(as_row(x), BlockAxis::cols, 4, signs).flat(),
              ElementsAre((a + b + c + d) / 2, (a - b + c - d) / 2, (a + b - c - d) / 2, (a - b - c + d) / 2, 9.0f));
}

TEST(ReplayHadamard, TwoElementsAreDividedByTheRootOfTwo) {
  const RandomStream signs{.seed = 11};
  const Matrix<float> y = replay_hadamard_rotated(as_column({1.0f, 0.0f}), BlockAxis::rows, 2, signs);
  EXPECT_EQ(std::fabs(y(0, 0)), 0.70710678f);
  EXPECT_EQ(y(0, 0), y(1, 0));
}

TEST(ReplayFactors, RoundedToPowersOfTwo) {
  const auto rounded = [](double x) { return replay_rounded_factor(x, FactorRounding::power_of_two); };
  EXPECT_EQ(rounded(1.4), 1.0f);
  EXPECT_EQ(rounded(1.6), 2.0f);
  EXPECT_EQ(rounded(0.75), 0.5f);  // ties
  EXPECT_EQ(rounded(1.5), 2.0f);
  EXPECT_EQ(rounded(3.0), 2.0f);
  EXPECT_EQ(rounded(6.0), 8.0f);
  EXPECT_EQ(rounded(0x1p-140), 0x1p-127f);
  EXPECT_EQ(rounded(0x1p135), 0x1p127f);
  EXPECT_EQ(replay_rounded_factor(0.1, FactorRounding::fp32), 0.1f);
}

TEST(ReplayFactors, SmoothQuantByHand) {
  const std::vector<float> x = {8.0f, 0.0f, 3.0f, -2.0f, 0.0f, 1.0f};   // 2×3
  const std::vector<float> w = {2.0f, -1.0f, 5.0f, 5.0f, 0.0f, -0.0f};  // 3×2
  EXPECT_THAT(replay_smooth_factors({x.data(), 2, 3, 3}, {w.data(), 3, 2, 2}, FactorRounding::fp32),
              ElementsAre(2.0f, 1.0f, 1.0f));
  const std::vector<float> factors = {2.0f, 3.0f};
  EXPECT_THAT(replay_divided_columns(as_row({3.0f, 1.0f}), factors).flat(), ElementsAre(1.5f, 1.0f / 3));
  EXPECT_THAT(replay_multiplied_rows(as_column({3.0f, 1.0f}), factors).flat(), ElementsAre(6.0f, 3.0f));
}

// ---- Bit for bit ----

TEST(ReplayPrune24, EqualsThePruningWithTiesAndTails) {
  for (const std::int64_t rows : {1, 2, 3, 4, 7, 64}) {
    const Matrix<float> x = quantize::generated(rows, 9, [](std::uint64_t i) {
      return static_cast<float>(philox_word({.seed = 4}, i) % 5) - 2.0f;  // many ties
    });
    ASSERT_EQ(first_difference(as_values(quantize::prune24(x.view())), as_values(replay_prune24(x.view()))), "");
  }
  for (const HardInput& input : hard_inputs(kLargest)) {
    ASSERT_EQ(first_difference(as_values(quantize::prune24(input.x.view())), as_values(replay_prune24(input.x.view()))),
              "") << input.name;
  }
}

TEST(ReplayHadamard, EqualsTheRotation) {
  const RandomStream signs{.seed = 2, .tensor = 9};
  for (const HardInput& input : hard_inputs(0x1p100f)) {
    for (const std::int64_t n : {1, 2, 8, 16, 32, 64, 128}) {
      for (const BlockAxis axis : {BlockAxis::rows, BlockAxis::cols}) {
        ASSERT_EQ(first_difference(as_values(quantize::hadamard_rotated(input.x.view(), axis, n, signs)),
                                   as_values(replay_hadamard_rotated(input.x.view(), axis, n, signs))), "")
            << input.name << ' ' << n;
      }
    }
  }
}

TEST(ReplayFactors, RoundingEqualsTheOtherAtAllExponents) {
  for (int exponent = -149; exponent <= 139; ++exponent) {
    for (const double mantissa : {1.0, 0x1.7ffffffffffffp0, 1.5, 0x1.8000000000001p0, 0x1.fffffffffffffp0}) {
      for (const FactorRounding rounding : {FactorRounding::fp32, FactorRounding::power_of_two}) {
        const double exact = std::ldexp(mantissa, exponent);
        ASSERT_EQ(replay_rounded_factor(exact, rounding), quantize::rounded_factor(exact, rounding)) << exact;
      }
    }
  }
}

TEST(ReplayFactors, EqualTheOthers) {
  for (const HardInput& of_x : hard_inputs(kLargest)) {
    for (const HardInput& of_w : hard_inputs(kLargest)) {
      SCOPED_TRACE(of_x.name + ", " + of_w.name);
      const View<const float> x = of_x.x.view();
      const View<const float> w = {of_w.x.data(), of_w.x.cols(), 9, of_w.x.cols()};
      for (const FactorRounding rounding : {FactorRounding::fp32, FactorRounding::power_of_two}) {
        const std::vector<float> factors = quantize::smooth_factors(x, w, rounding);
        const std::vector<float> replayed = replay_smooth_factors(x, w, rounding);
        ASSERT_EQ(first_difference(as_values(factors), as_values(replayed)), "");
        ASSERT_EQ(first_difference(as_values(quantize::divided_columns(x, factors)),
                                   as_values(replay_divided_columns(x, replayed))), "");
        ASSERT_EQ(first_difference(as_values(quantize::multiplied_rows(w, factors)),
                                   as_values(replay_multiplied_rows(w, replayed))), "");
      }
    }
  }
}

TEST(ReplayTransforms, PlantedChangesAreFound) {
  const Matrix<float> x = quantize::gaussian_matrix(kHardRows, kHardRows);
  const std::vector<float> factors = replay_smooth_factors(x.view(), x.view(), FactorRounding::fp32);
  expect_planted_changes_found(as_values(replay_prune24(x.view())));
  expect_planted_changes_found(as_values(replay_hadamard_rotated(x.view(), BlockAxis::rows, 32, {.seed = 1})));
  expect_planted_changes_found(as_values(factors));
  expect_planted_changes_found(as_values(replay_divided_columns(x.view(), factors)));
  expect_planted_changes_found(as_values(replay_multiplied_rows(x.view(), factors)));
}

}  // namespace
}  // namespace narrowgate::reference
