// Transforms that change where the range lies but not the product: channel factors, rotations, 2:4 storage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/quantize/compress24.h"
#include "kernels/quantize/factors.h"
#include "kernels/quantize/hadamard.h"
#include "kernels/quantize/prune24.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using testing::ElementsAre;

TEST(SmoothFactors, RootOfTheRatioAndOneForSilentChannels) {
  const std::vector<float> x = {8.0f, 0.0f, 3.0f, -2.0f, 0.0f, 1.0f};   // 2×3
  const std::vector<float> w = {2.0f, -1.0f, 5.0f, 5.0f, 0.0f, -0.0f};  // 3×2
  EXPECT_THAT(smooth_factors({x.data(), 2, 3, 3}, {w.data(), 3, 2, 2}, FactorRounding::fp32),
              ElementsAre(2.0f, 1.0f, 1.0f));
}

TEST(SmoothFactors, PowersOfTwoAreNearest) {
  EXPECT_EQ(rounded_factor(1.4, FactorRounding::power_of_two), 1.0f);
  EXPECT_EQ(rounded_factor(1.6, FactorRounding::power_of_two), 2.0f);
  EXPECT_EQ(rounded_factor(3.0, FactorRounding::power_of_two), 2.0f);
  EXPECT_EQ(rounded_factor(0.3, FactorRounding::power_of_two), 0.25f);
}

TEST(SmoothFactors, MovingThemKeepsTheProductExactlyWithPowersOfTwo) {
  const Matrix<float> x = gaussian_matrix(3, 16);
  const Matrix<float> w = gaussian_matrix(16, 3, 1);
  const auto factors = smooth_factors(x.view(), w.view(), FactorRounding::power_of_two);
  const Matrix<float> divided = divided_columns(x.view(), factors);
  const Matrix<float> multiplied = multiplied_rows(w.view(), factors);
  for (std::int64_t j = 0; j < 16; ++j) EXPECT_EQ(divided(1, j) * multiplied(j, 2), x(1, j) * w(j, 2));
}

TEST(Hadamard, FourElementsByHand) {
  // The first column of H is all ones, so e₀ becomes its own sign times ½ everywhere.
  const std::vector<float> x = {1.0f, 0.0f, 0.0f, 0.0f};
  const RandomStream signs{.seed = 11};
  const Matrix<float> y = hadamard_rotated(as_row(x), BlockAxis::cols, 4, signs);
  const float sign = philox_word(signs, 0) >> 31 != 0 ? -0.5f : 0.5f;
  EXPECT_THAT(y.flat(), ElementsAre(sign, sign, sign, sign));
}

TEST(Hadamard, BothOperandsRotatedGiveTheSameProduct) {
  const Matrix<float> a = gaussian_matrix(4, 70);
  const Matrix<float> b = gaussian_matrix(70, 3, 1);
  const RandomStream signs{.seed = 2, .tensor = 9};
  const Matrix<float> rotated_a = hadamard_rotated(a.view(), BlockAxis::cols, 32, signs);
  const Matrix<float> rotated_b = hadamard_rotated(b.view(), BlockAxis::rows, 32, signs);
  for (std::int64_t row = 0; row < 4; ++row) {
    for (std::int64_t col = 0; col < 3; ++col) {
      double plain = 0;
      double rotated = 0;
      for (std::int64_t k = 0; k < 70; ++k) {
        plain += static_cast<double>(a(row, k)) * b(k, col);
        rotated += static_cast<double>(rotated_a(row, k)) * rotated_b(k, col);
      }
      EXPECT_NEAR(plain, rotated, 1e-5);
    }
  }
  EXPECT_EQ(rotated_a(0, 64), a(0, 64));  // the tail
}

TEST(Hadamard, SpreadsAnOutlier) {
  std::vector<float> x(64, 0.01f);
  x[17] = 100.0f;
  const Matrix<float> y = hadamard_rotated(as_row(x), BlockAxis::cols, 64, {.seed = 1});
  for (const float value : y.flat()) EXPECT_NEAR(std::fabs(value), 12.5f, 0.2f);
}

TEST(Compress24, TwoValuesAndTheirPlaces) {
  const std::vector<float> b = {0, 5, 0, -6, 7, 0, 0, 0};
  const auto compressed = compress24(as_column(b));
  ASSERT_TRUE(compressed);
  EXPECT_THAT(compressed->values.flat(), ElementsAre(5, -6, 7, 0));
  EXPECT_THAT(compressed->places.flat(), ElementsAre(1, 3, 0, 1));
}

TEST(Compress24, RefusesThreeOfFour) { EXPECT_FALSE(compress24(as_column({1, 2, 3, 0}))); }

TEST(Compress24, DecompressGivesThePrunedMatrixBack) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 64, 129}) {
    Matrix<float> b = gaussian_matrix(rows, 9);
    b(0, 0) = -0.0f;
    if (rows > 3) b(1, 0) = b(2, 0) = b(3, 0) = -0.0f;
    const Matrix<float> pruned = prune24(b.view());
    const auto compressed = compress24(View<const float>(pruned.view()));
    ASSERT_TRUE(compressed) << rows;
    const Matrix<float> back = decompress24(*compressed);
    ASSERT_EQ(std::memcmp(back.data(), pruned.data(), static_cast<std::size_t>(pruned.size()) * sizeof(float)), 0) << rows;
  }
}

TEST(Compress24, WorksOnCodes) {
  Matrix<std::int8_t> codes(4, 1);
  codes(2, 0) = -7;
  const auto compressed = compress24(View<const std::int8_t>(codes.view()));
  EXPECT_THAT(compressed->places.flat(), ElementsAre(0, 2));
  EXPECT_EQ(decompress24(*compressed)(2, 0), -7);
}

}  // namespace
}  // namespace narrowgate::quantize
