// The arithmetic of each study, on numbers that can be checked by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/factors.h"
#include "suites/studies/clipping.h"
#include "suites/studies/measures.h"
#include "suites/studies/pruning.h"
#include "suites/studies/roofline.h"
#include "suites/studies/smoothing.h"
#include "suites/studies/stochastic_updates.h"
#include "suites/studies/summation_order.h"
#include "suites/studies/swamping.h"

namespace narrowgate::studies {
namespace {

using formats::Rounding;
using testing::ElementsAre;

Matrix<float> matrix(std::int64_t rows, std::int64_t cols, std::initializer_list<float> values) {
  Matrix<float> x(rows, cols);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

TEST(Measures, RmsOfThreeAndFour) {
  const Matrix<float> x = matrix(1, 2, {3, -4});
  EXPECT_EQ(rms(x.view()), std::sqrt(12.5));
}

TEST(Measures, ErrorOfAProductLeavesOutTheFirstRow) {
  Matrix<double> exact(2, 2);
  exact(1, 0) = 1;
  const Matrix<float> c = matrix(2, 2, {100, 100, 4, 4});
  EXPECT_EQ(rms_error(c, exact, 1), std::sqrt(12.5));
}

TEST(Swamping, E5m2KeepsThirtyTwo) {
  EXPECT_EQ(narrow_sum(formats::kE5m2, 32, 3.5), 32);
  EXPECT_EQ(narrow_sum(formats::kE5m2, 32, 4), 32) << "a tie goes to the even code";
  EXPECT_EQ(narrow_sum(formats::kE5m2, 32, 4.5), 40);
}

TEST(Swamping, SumsOfOnesStopWhereOneIsHalfAStep) {
  EXPECT_THAT(sums_of_ones(formats::kE5m2, {1, 4, 8, 9, 1000}), ElementsAre(1, 4, 8, 8, 8));
  EXPECT_THAT(sums_of_ones(formats::kBf16, {256, 257, 1000}), ElementsAre(256, 256, 256));
  EXPECT_THAT(sums_of_ones(formats::kFp16, {2048, 4096}), ElementsAre(2048, 2048));
  EXPECT_THAT(sums_of_ones_fp32({16777215, 16777216, 16777218}), ElementsAre(16777215, 16777216, 16777216));
}

TEST(Pruning, EnergyOfAHandMadeMatrix) {
  const Matrix<float> x = matrix(4, 2, {1, 1, -2, 1, 3, 1, 4, 1});
  // Column 0 drops 1² + 2² of 30, column 1 half of 4.
  EXPECT_DOUBLE_EQ(energy_dropped_by_24(x.view()), 7.0 / 34);
  // Of all eight the smallest four are ones.
  EXPECT_DOUBLE_EQ(energy_dropped_by_smallest_half(x.view()), 4.0 / 34);
}

TEST(Pruning, NothingToDropFromZeros) {
  const Matrix<float> zeros = matrix(4, 1, {0, 0, 0, 0});
  EXPECT_EQ(energy_dropped_by_24(zeros.view()), 0);
}

TEST(Pruning, SmallestHalfOfANormalIsSevenPercent) {
  const Matrix<float> x = make_input(Distribution::kNormal, Tensor::kB, 1, 256, 256);
  EXPECT_NEAR(energy_dropped_by_smallest_half(x.view()), 0.0713, 0.002) << "½ − 2·0.6745·φ(0.6745)";
}

TEST(Roofline, CrossoversOfTheH100) {
  const Accelerator h100 = published_accelerators().front();
  EXPECT_EQ(h100.name, "H100 SXM");
  EXPECT_NEAR(crossover_tokens(h100, kW4a16Layer, kW8a8Layer), 147.67, 0.01);  // 989.4 / (2 · 3.35)
  EXPECT_NEAR(crossover_tokens(h100, kFp16Layer, kFp16Layer), 295.34, 0.01);
}

TEST(Roofline, TimeIsTheLargerOfReadingAndArithmetic) {
  const Accelerator made{"made", 100, 200, 10, ""};
  EXPECT_EQ(attainable_seconds(made, kFp16Layer, 50, 1), 10);    // 100 bytes at 10 a second
  EXPECT_EQ(attainable_seconds(made, kW8a8Layer, 50, 1), 5);
  EXPECT_EQ(attainable_seconds(made, kW4a16Layer, 50, 1), 2.5);
  EXPECT_EQ(attainable_seconds(made, kW4a16Layer, 50, 10), 10);  // 1000 operations at 100 a second
  EXPECT_EQ(attainable_seconds(made, kW8a8Layer, 50, 10), 5);
  EXPECT_EQ(crossover_tokens(made, kW4a16Layer, kW8a8Layer), 5);
}

TEST(Smoothing, FactorsOfASmallPair) {
  const Matrix<float> x = matrix(2, 2, {16, 0, -8, 0}), w = matrix(2, 1, {0.0625f, 1});
  const float expected[] = {16, 16, 16, 16, 16};
  for (int quarters = 0; quarters <= 4; ++quarters) {
    // 16^α / (1/16)^(1−α) = 16 for every α; a channel of zeros keeps 1.
    EXPECT_THAT(smooth_factors_at(x.view(), w.view(), quarters), ElementsAre(expected[quarters], 1.0f)) << quarters;
  }
}

TEST(Smoothing, AlphaMovesTheRange) {
  const Matrix<float> x = matrix(1, 1, {81}), w = matrix(1, 1, {16});
  EXPECT_THAT(smooth_factors_at(x.view(), w.view(), 0), ElementsAre(1.0f / 16));
  EXPECT_THAT(smooth_factors_at(x.view(), w.view(), 1), ElementsAre(3.0f / 8));
  EXPECT_THAT(smooth_factors_at(x.view(), w.view(), 2), ElementsAre(9.0f / 4));
  EXPECT_THAT(smooth_factors_at(x.view(), w.view(), 3), ElementsAre(27.0f / 2));
  EXPECT_THAT(smooth_factors_at(x.view(), w.view(), 4), ElementsAre(81.0f));
}

TEST(Smoothing, HalfIsTheFactorOfTheScheme) {
  const Matrix<float> x = make_input(Distribution::kNormal, Tensor::kA, 1, 8, 64);
  const Matrix<float> w = make_input(Distribution::kNormal, Tensor::kB, 1, 64, 8);
  const auto here = smooth_factors_at(x.view(), w.view(), 2);
  const auto scheme = quantize::smooth_factors(x.view(), w.view(), quantize::FactorRounding::fp32);
  for (std::size_t j = 0; j < here.size(); ++j) EXPECT_FLOAT_EQ(here[j], scheme[j]);
}

TEST(Clipping, ErrorOfAHandMadeRow) {
  // INT4 over ±7: step 1. 0.25 → 0, 6.5 → 6 (a tie goes to even), 9 → 7.
  const Matrix<float> x = matrix(1, 4, {0.25f, 6.5f, 9, -3});
  EXPECT_EQ(clipped_mean_square_error(x.view(), formats::kInt4, 7), (0.0625 + 0.25 + 4) / 4);
}

TEST(Clipping, LaplaceHasItsMoments) {
  double sum = 0, magnitudes = 0, squares = 0;
  constexpr std::uint64_t kCount = 1 << 17;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = laplace({.seed = 7}, i);
    sum += x;
    magnitudes += std::fabs(x);
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(magnitudes / kCount, 1, 0.01);
  EXPECT_NEAR(squares / kCount, 2, 0.05);
}

TEST(Clipping, LaplaceFallsByEForEachUnit) {
  int beyond_one = 0, beyond_two = 0;
  constexpr int kCount = 1 << 17;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const float magnitude = std::fabs(laplace({.seed = 8}, i));
    beyond_one += magnitude > 1;
    beyond_two += magnitude > 2;
  }
  EXPECT_NEAR(beyond_one / double{kCount}, 0.36788, 0.005);
  EXPECT_NEAR(beyond_two / double{kCount}, 0.13534, 0.004);
}

TEST(SummationOrder, LiteralSums) {
  const std::vector<float> terms = {1, 0x1p-24f, 0x1p-24f, 0x1p-24f};
  EXPECT_EQ(chain_sum(terms), 1.0f) << "each small term is half a step: a tie, to even";
  EXPECT_EQ(reversed_sum(terms), 1.0f + 0x1p-22f) << "3·2⁻²⁴ is one step and a half: a tie, to two steps";
  EXPECT_EQ(pairwise_fp32_sum(terms), 1.0f + 0x1p-23f) << "(1 + 2⁻²⁴) + 2⁻²³";
}

TEST(SummationOrder, LanesTakeFourTermsEach) {
  std::vector<float> terms(132, 0.0f);
  terms[0] = 0x1p24f;  // lane 0
  terms[3] = 1;        // lane 0 as well: lost
  EXPECT_EQ(lanes_sum(terms), 0x1p24f);
  terms[3] = 0;
  terms[4] = 1;    // lane 1
  terms[20] = 1;   // lane 5: the tree adds them first, at distance 4
  EXPECT_EQ(lanes_sum(terms), 0x1p24f + 2);
  terms[128] = -0x1p24f;  // lane 0 again
  EXPECT_EQ(lanes_sum(terms), 2.0f);
}

TEST(SummationOrder, StepsOfFp32) {
  EXPECT_EQ(fp32_step(1.0), 0x1p-23);
  EXPECT_EQ(fp32_step(-1.999), 0x1p-23);
  EXPECT_EQ(fp32_step(2.0), 0x1p-22);
  EXPECT_EQ(fp32_step(0.0), 0x1p-149);
}

TEST(StochasticUpdates, NearestStays) {
  const Updates updates{formats::kE4m3, Rounding::nearest_even, 1.0, 0x1p-12, 1000, 500};
  EXPECT_THAT(updated_weights(updates, {}), ElementsAre(1.0, 1.0, 1.0));
}

TEST(StochasticUpdates, WholeStepsAreExactInBoth) {
  for (const Rounding rounding : {Rounding::nearest_even, Rounding::stochastic}) {
    const Updates updates{formats::kE4m3, rounding, 1.0, 0.125, 4, 2};
    EXPECT_THAT(updated_weights(updates, {.seed = 3}), ElementsAre(1.0, 1.25, 1.5));
  }
}

TEST(StochasticUpdates, StochasticFollowsOnAverage) {
  double sum = 0;
  constexpr int kWeights = 400;
  for (std::uint64_t seed = 0; seed < kWeights; ++seed) {
    sum += updated_weights({formats::kE4m3, Rounding::stochastic, 1.0, 0x1p-10, 500, 500}, {.seed = seed}).back();
  }
  EXPECT_NEAR(sum / kWeights, 1 + 500 * 0x1p-10, 0.05);
}

}  // namespace
}  // namespace narrowgate::studies
