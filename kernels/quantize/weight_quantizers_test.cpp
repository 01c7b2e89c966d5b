// Weight quantizers: none is worse than round-to-nearest by its own measure, GPTQ's algebra on a case worked by hand,
// and the degenerate inputs.
#include "kernels/quantize/weight_quantizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/block_scaling.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using formats::kInt2;
using formats::kInt4;
using formats::kUint2;
using formats::kUint4;
using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t kGroup = 128;

// Activations with a few loud channels, as AWQ and GPTQ presume.
Matrix<float> calibration(std::int64_t samples, std::int64_t k) {
  Matrix<float> x = gaussian_matrix(samples, k, 3);
  for (std::int64_t row = 0; row < samples; ++row) {
    for (std::int64_t j = 0; j < k; j += 37) x(row, j) *= 20.0f;
  }
  return x;
}

Matrix<float> heavy_tailed(std::int64_t rows, std::int64_t cols) {
  return generated(rows, cols, [](std::uint64_t i) { return gaussian(i) * (i % 37 == 0 ? 6.0f : 1.0f); });
}

TEST(MseClip, NeverWorseThanRoundToNearest) {
  for (const Matrix<float>& b : {gaussian_matrix(300, 5), heavy_tailed(256, 7)}) {
    for (const formats::Format* element : {&kInt4, &kInt2}) {
      const auto plain = symmetric_integer(b.view(), *element, {kGroup, 1}, ScaleStorage::fp16);
      const auto clipped = mse_clipped_integer(b.view(), *element, kGroup);
      EXPECT_LT(squared_error(b.view(), *clipped), squared_error(b.view(), *plain));
    }
  }
}

TEST(MseClip, AWorkedGroup) {
  // One outlier of 7 keeps s = 1 and costs nothing; the rest is exact too, so no clipping can be better.
  const std::vector<float> b = {7.0f, 1.0f, -3.0f};
  EXPECT_THAT(mse_clipped_integer(as_column(b), kInt4, kGroup)->scales, ElementsAre(1.0f));
}

TEST(Hqq, NeverWorseThanRoundToNearestAndUsuallyBetter) {
  for (const formats::Format* element : {&kUint4, &kUint2}) {
    const Matrix<float> b = heavy_tailed(256, 9);
    const auto plain = asymmetric_integer(b.view(), *element, {kGroup, 1}, ScaleStorage::fp16);
    const auto improved = hqq(b.view(), *element, kGroup);
    EXPECT_EQ(improved->scales, plain->scales);
    EXPECT_LT(hqq_objective(b.view(), *improved), hqq_objective(b.view(), *plain));
  }
}

TEST(Hqq, EveryGroupIsNoWorse) {
  const Matrix<float> b = heavy_tailed(128, 40);
  const auto plain = asymmetric_integer(b.view(), kUint4, {kGroup, 1}, ScaleStorage::fp16);
  const auto improved = hqq(b.view(), kUint4, kGroup);
  for (std::int64_t col = 0; col < b.cols(); ++col) {
    double before = 0;
    double after = 0;
    for (std::int64_t row = 0; row < b.rows(); ++row) {
      before += std::sqrt(std::fabs(b(row, col) - plain->dequantized(row, col)));
      after += std::sqrt(std::fabs(b(row, col) - improved->dequantized(row, col)));
    }
    ASSERT_LE(after, before) << col;
  }
}

TEST(Hqq, ZerosAndConstantsStayFinite) {
  const auto zeros = hqq(Matrix<float>(128, 1).view(), kUint4, kGroup);
  for (const double value : dequantized_values(*zeros)) EXPECT_EQ(value, 0.0);
  const std::vector<float> constant(128, 0.3f);
  for (const double value : dequantized_values(*hqq(as_column(constant), kUint4, kGroup))) EXPECT_NEAR(value, 0.3, 0.01);
}

TEST(Hqq, StorageCostWithGroupsOf64) {
  EXPECT_EQ(bits_per_weight(*hqq(gaussian_matrix(128, 2).view(), kUint4, 64)), 4.5);
}

TEST(Awq, NeverWorseThanRoundToNearestOnTheCalibrationOutput) {
  const Matrix<float> b = gaussian_matrix(256, 16);
  const Matrix<float> x = calibration(32, 256);
  const auto plain = symmetric_integer(b.view(), kInt4, {kGroup, 1}, ScaleStorage::fp16);
  const auto scaled = awq(b.view(), x.view(), kInt4, kGroup);
  const std::vector<float> ones(256, 1.0f);
  EXPECT_LT(output_error(b.view(), x.view(), scaled->weights, scaled->factors),
            output_error(b.view(), x.view(), *plain, ones));
}

TEST(Awq, FactorsArePowersOfTwoAndEvenActivationsNeedNone) {
  const Matrix<float> b = gaussian_matrix(128, 4);
  const auto scaled = awq(b.view(), calibration(16, 128).view(), kInt4, kGroup);
  for (const float factor : scaled->factors) {
    EXPECT_EQ(factor, std::ldexp(1.0f, std::ilogb(factor)));
  }
  const Matrix<float> even = generated(8, 128, [](std::uint64_t i) { return i % 2 == 0 ? 1.0f : -1.0f; });
  EXPECT_THAT(awq(b.view(), even.view(), kInt4, kGroup)->factors, Each(1.0f));
  EXPECT_THAT(awq(b.view(), Matrix<float>(8, 128).view(), kInt4, kGroup)->factors, Each(1.0f));
}

TEST(Gptq, BeatsRoundToNearestOnCorrelatedActivations) {
  const Matrix<float> b = gaussian_matrix(256, 16);
  // Neighbouring channels share most of their signal, which is what GPTQ exploits.
  Matrix<float> x = gaussian_matrix(512, 256, 8);
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t j = 1; j < x.cols(); ++j) x(row, j) = 0.9f * x(row, j - 1) + 0.4f * x(row, j);
  }
  const std::vector<float> ones(256, 1.0f);
  for (const formats::Format* element : {&kInt4, &kUint4}) {
    const auto plain = element->is_signed ? symmetric_integer(b.view(), *element, {kGroup, 1}, ScaleStorage::fp16)
                                          : asymmetric_integer(b.view(), *element, {kGroup, 1}, ScaleStorage::fp16);
    const auto solved = gptq(b.view(), x.view(), *element, kGroup);
    EXPECT_LT(output_error(b.view(), x.view(), *solved, ones), 0.7 * output_error(b.view(), x.view(), *plain, ones));
  }
}

TEST(Gptq, WithIndependentChannelsItIsRoundToNearest) {
  const Matrix<float> b = gaussian_matrix(64, 3);
  Matrix<float> x(64, 64);
  for (std::int64_t j = 0; j < 64; ++j) x(j, j) = 1.0f + static_cast<float>(j % 5);
  const auto plain = symmetric_integer(b.view(), kInt4, {kGroup, 1}, ScaleStorage::fp16);
  EXPECT_EQ(reported_codes(*gptq(b.view(), x.view(), kInt4, kGroup)), reported_codes(*plain));
}

// Two channels with the same signal, x = (1, 1): H = [1.01 1; 1 1.01] and H⁻¹ ∝ [1.01 −1; −1 1.01], so the error e of
// the first weight moves the second by e·(1/1.01). Weights (7, 2.4, 2.4) in one column: s = 1; 2.4 → 2 leaves 0.4,
// the next becomes 2.4 + 0.396 = 2.796 → 3, where round-to-nearest says 2.
TEST(Gptq, TheErrorOfOneWeightMovesTheNext) {
  const std::vector<float> b = {7.0f, 2.4f, 2.4f};
  const std::vector<float> x = {0.0f, 1.0f, 1.0f};
  EXPECT_THAT(reported_codes(*gptq(as_column(b), as_row(x), kInt4, kGroup)), ElementsAre(7, 2, 3));
}

TEST(Gptq, SilentActivationsGiveRoundToNearest) {
  const Matrix<float> b = gaussian_matrix(32, 2);
  const auto plain = symmetric_integer(b.view(), kInt4, {kGroup, 1}, ScaleStorage::fp16);
  EXPECT_EQ(reported_codes(*gptq(b.view(), Matrix<float>(4, 32).view(), kInt4, kGroup)), reported_codes(*plain));
}

TEST(Refusals, WhatIsNotFinite) {
  const std::vector<float> bad = {1.0f, std::nanf("")};
  EXPECT_FALSE(mse_clipped_integer(as_column(bad), kInt4, kGroup));
  EXPECT_FALSE(hqq(as_column(bad), kUint4, kGroup));
  EXPECT_FALSE(awq(as_column(bad), as_row({1.0f, 1.0f}), kInt4, kGroup));
  EXPECT_FALSE(awq(as_column({1.0f, 1.0f}), as_row(bad), kInt4, kGroup));
  EXPECT_FALSE(gptq(as_column(bad), as_row({1.0f, 1.0f}), kInt4, kGroup));
  EXPECT_FALSE(gptq(as_column({1.0f, 1.0f}), as_row(bad), kInt4, kGroup));
}

}  // namespace
}  // namespace narrowgate::quantize
