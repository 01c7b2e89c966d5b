// Inputs: literals of the first elements (they are part of every digest), what each distribution is for, and
// independence of threads and of the number of rows.
#include "suites/engine/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/quantize/integer.h"

namespace narrowgate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Pair;

constexpr std::array kAllTensors = {Tensor::kA, Tensor::kB, Tensor::kCalibration, Tensor::kBias};

TEST(Inputs, EveryDistributionIsFoundByItsName) {
  std::vector<std::pair<std::string_view, int>> names_and_ids;
  for (const Distribution distribution : all_distributions()) {
    EXPECT_EQ(find_distribution(to_string(distribution)), distribution);
    names_and_ids.emplace_back(to_string(distribution), static_cast<int>(distribution));
  }
  EXPECT_THAT(names_and_ids,
              ElementsAre(Pair("day98", 1), Pair("normal", 2), Pair("integers", 3), Pair("constant", 4),
                          Pair("one_hot", 5), Pair("relu", 6), Pair("one_signed", 7), Pair("heavy", 8),
                          Pair("outlier_channel", 9), Pair("outlier_row", 10), Pair("ties", 11),
                          Pair("below_pow2", 12), Pair("max_pairs", 13), Pair("cancel", 14), Pair("subnormal", 15),
                          Pair("zero_rows", 16), Pair("zero_blocks", 17), Pair("minus_zero", 18)));
  EXPECT_EQ(find_distribution("gaussian"), std::nullopt);
}

// Computed by an independent Philox in Python from the definition in inputs.h; a change here changes every digest.
TEST(Day98, FirstElementsOfSeed1) {
  const Matrix<float> a = make_input(Distribution::kDay98, Tensor::kA, 1, 2, 3);
  EXPECT_EQ(a(0, 0), 0.07220351696014404f);
  EXPECT_EQ(a(0, 1), 0.11725544929504395f);
  EXPECT_EQ(a(1, 2), 0.6616712808609009f);
  const Matrix<float> b = make_input(Distribution::kDay98, Tensor::kB, 1, 3, 2);
  EXPECT_EQ(b(0, 0), -2.0487422943115234f);  // flat index 0 is an outlier
  EXPECT_EQ(b(0, 1), -0.10357248783111572f);
  EXPECT_EQ(b(2, 1), -0.16091841459274292f);
}

TEST(Normal, FirstElementsOfSeed1) {
  const Matrix<float> x = make_input(Distribution::kNormal, Tensor::kA, 1, 1, 3);
  EXPECT_EQ(x(0, 0), -0x1.13151ep+1f);
  EXPECT_EQ(x(0, 1), 0x1.d28ed2p-1f);
  EXPECT_EQ(x(0, 2), 0x1.7bd7e8p+0f);
}

TEST(Integers, FirstElementsOfSeed1) {
  const Matrix<float> x = make_input(Distribution::kIntegers, Tensor::kA, 1, 1, 6);
  EXPECT_THAT(std::vector<float>(x.flat().begin(), x.flat().end()), testing::ElementsAre(57, 40, 24, -10, -6, -31));
}

// Elements (0,0), (0,1), (1,0), (1,2) and (3,4) of 4×5 matrices of seed 1, computed by an independent Python program
// from the definitions in inputs.h.
struct Pinned {
  Distribution distribution;
  std::vector<float> a, b;
};
const Pinned kPinned[] = {
    {Distribution::kRelu,
     {0.0f, 0.0f, 0.0f, 0.0f, 0x1.bafdc8p-2f},
     {0x1.44fe2ep+0f, 0x1.96551p-1f, -0x1.18549ep+1f, -0x1.22fadep+0f, 0x1.ab06b4p-2f}},
    {Distribution::kOneSigned,
     {0x1.28645cp+0f, 0x1.bfb9b8p+0f, 0x1.9531bap+0f, 0x1.b6c8dep+0f, 0x1.a95456p+0f},
     {-0x1.b33be8p+0f, -0x1.19f3fap+0f, -0x1.8348p+0f, -0x1.8d7586p+0f, -0x1.017ebcp+0f}},
    {Distribution::kHeavy,
     {-0x1.f7868p+0f, 0x1.e364b4p-1f, 0x1.47648p-5f, 0x1.70f51p-1f, -0x1.d6672p-4f},
     {0x1.6e6dap+0f, 0x1.277d78p-2f, -0x1.8cdb34p+1f, -0x1.bc4554p-1f, 0x1.8c8dbp-3f}},
    {Distribution::kOutlierChannel,
     {0x1.ae080ap-2f, -0x1.36dfc4p+7f, -0x1.3e385cp-1f, 0x1.eb7344p-1f, -0x1.956998p+0f},
     {0x1.0e8992p+0f, -0x1.4fb238p+0f, -0x1.bba614p-1f, 0x1.05e016p+0f, 0x1.2334dap+0f}},
    {Distribution::kOutlierRow,
     {0x1.152aap+2f, -0x1.11e20ep+5f, 0x1.1e5b2cp-3f, 0x1.742fdp+1f, -0x1.95f7bap-4f},
     {-0x1.683024p-1f, 0x1.d84d9ap-3f, -0x1.646d0ep-2f, 0x1.031972p-2f, 0x1.576986p+1f}},
    {Distribution::kTies,
     {-127.0f, -100.5f, -127.0f, -109.5f, -40.5f},
     {127.0f, -127.0f, 119.5f, 56.5f, 112.5f}},
    {Distribution::kBelowPow2,
     {-0x1.fffffep+2f, 0x1.fffffep-4f, -0x1.fffffep+0f, 0x1.fffffep+0f, -0x1.fffffep+0f},
     {0x1.fffffep+1f, -0x1.fffffep-4f, -0x1.fffffep-3f, -0x1.fffffep-2f, 0x1.fffffep+2f}},
    {Distribution::kMaxPairs,
     {127.0f, 127.0f, -127.0f, -127.0f, -127.0f},
     {127.0f, 127.0f, 127.0f, 127.0f, -127.0f}},
    {Distribution::kCancel,
     {-0x1.d2d218p-4f, 0x1.2af4fep+0f, -0x1.f52072p-4f, 0x1.61cd4ep-1f, -0x1.cff4bap-1f},
     {-0x1.526c22p+0f, -0x1.f775c4p-8f, -0x1.1f5414p-2f, -0x1.04deb2p+0f, 0x1.4b396ap-1f}},
    {Distribution::kSubnormal,
     {-0x1.6a98c6p-116f, -0x1.9a09a2p-117f, 0x1.29d644p-116f, 0x1.ea11bep-124f, 0.0f},
     {0x1.bb79cp-3f, 0x1.25e8p-7f, 0x1.8e8f8p-6f, -0x1.c4b1dp-3f, -0x1.b08p-139f}},
    {Distribution::kZeroRows,
     {0x1.cb440ep-1f, 0x1.3746bp-1f, 0.0f, 0.0f, 0x1.da9f92p-1f},
     {0x1.380d64p+0f, 0x1.807d44p-5f, -0x1.134a8p-1f, 0.0f, 0x1.2acedp-2f}},
    {Distribution::kZeroBlocks,
     {0x1.0ff452p+1f, -0x1.67de1cp-1f, 0.0f, 0.0f, -0x1.29361ap-1f},
     {0x1.623a34p-1f, 0.0f, 0x1.387336p+0f, 0.0f, 0x1.643a26p-3f}},
    {Distribution::kMinusZero,
     {-3.0f, 3.0f, -0.0f, -3.0f, -0.0f},
     {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f}},
};

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

std::vector<std::uint32_t> five_elements(Distribution distribution, Tensor tensor) {
  const Matrix<float> x = make_input(distribution, tensor, 1, 4, 5);
  return {bits(x(0, 0)), bits(x(0, 1)), bits(x(1, 0)), bits(x(1, 2)), bits(x(3, 4))};
}

TEST(Inputs, PinnedElementsOfSeed1) {
  for (const auto& [distribution, a, b] : kPinned) {
    std::vector<std::uint32_t> a_bits(5), b_bits(5);
    std::transform(a.begin(), a.end(), a_bits.begin(), bits);
    std::transform(b.begin(), b.end(), b_bits.begin(), bits);
    EXPECT_EQ(five_elements(distribution, Tensor::kA), a_bits) << to_string(distribution);
    EXPECT_EQ(five_elements(distribution, Tensor::kB), b_bits) << to_string(distribution);
  }
}

TEST(Inputs, PinnedCalibrationAndBiasOfSeed1) {
  const Matrix<float> calibration = make_input(Distribution::kOutlierChannel, Tensor::kCalibration, 1, 4, 5);
  EXPECT_EQ(calibration(0, 0), 0x1.7a3f34p-2f);
  EXPECT_EQ(calibration(0, 1), 0x1.e37918p+6f);  // channel 1 is A's outlier too
  EXPECT_EQ(calibration(3, 4), 0x1.15f318p+1f);
  const Matrix<float> bias = make_input(Distribution::kOutlierChannel, Tensor::kBias, 1, 1, 5);
  EXPECT_THAT(std::vector<float>(bias.flat().begin(), bias.flat().end()),
              ElementsAre(-0x1.091c1cp-1f, 0x1.bb814ep-1f, 0x1.1092b6p-1f, 0x1.5dc384p-2f, 0x1.05f1c4p+0f));
}

TEST(Day98, AIsUniformAndBHasItsGainsAndOutliers) {
  const Matrix<float> a = make_input(Distribution::kDay98, Tensor::kA, 1, 64, 64);
  for (const float x : a.flat()) ASSERT_TRUE(x >= 0.0f && x < 1.0f);
  const Matrix<float> b = make_input(Distribution::kDay98, Tensor::kB, 1, 370, 14);
  for (std::int64_t row = 0; row < b.rows(); ++row) {
    for (std::int64_t col = 0; col < b.cols(); ++col) {
      const float outlier = (row * 14 + col) % 37 == 0 ? 8.0f : 1.0f;
      ASSERT_LE(std::fabs(b(row, col)), outlier * std::ldexp(1.0f, -static_cast<int>(col % 7)));
    }
  }
  EXPECT_GT(std::fabs(b(37, 0)), 1.0f) << "flat index 518 = 14·37 is an outlier";
}

TEST(Normal, HasMeanZeroAndVarianceOne) {
  const Matrix<float> x = make_input(Distribution::kNormal, Tensor::kA, 3, 512, 512);
  double sum = 0, squares = 0, fourth = 0;
  for (const float value : x.flat()) {
    sum += value;
    squares += double{value} * value;
    fourth += std::pow(double{value}, 4);
  }
  const double n = static_cast<double>(x.size());
  EXPECT_NEAR(sum / n, 0.0, 0.01);
  EXPECT_NEAR(squares / n, 1.0, 0.01);
  EXPECT_NEAR(fourth / n, 3.0 - 1.2 / 24, 0.05);  // kurtosis of Irwin–Hall of n: 3 − 6/(5n)
}

TEST(Integers, AreWholeAndReachBothEnds) {
  const Matrix<float> x = make_input(Distribution::kIntegers, Tensor::kB, 1, 64, 64);
  float low = 0, high = 0;
  for (const float value : x.flat()) {
    ASSERT_EQ(value, std::nearbyint(value));
    low = std::fmin(low, value);
    high = std::fmax(high, value);
  }
  EXPECT_EQ(low, -127.0f);
  EXPECT_EQ(high, 127.0f);
}

TEST(OneHot, PicksRowsOfB) {
  const Matrix<float> a = make_input(Distribution::kOneHot, Tensor::kA, 1, 5, 3);
  for (std::int64_t row = 0; row < 5; ++row) {
    for (std::int64_t col = 0; col < 3; ++col) EXPECT_EQ(a(row, col), col == row % 3 ? 1.0f : 0.0f);
  }
}

TEST(Inputs, SeedsTensorsAndDistributionsAreIndependent) {
  const auto first = [](Distribution d, Tensor t, std::uint64_t seed) { return make_input(d, t, seed, 4, 4)(1, 1); };
  EXPECT_NE(first(Distribution::kNormal, Tensor::kA, 1), first(Distribution::kNormal, Tensor::kA, 2));
  EXPECT_NE(first(Distribution::kNormal, Tensor::kA, 1), first(Distribution::kNormal, Tensor::kB, 1));
  EXPECT_NE(first(Distribution::kOneHot, Tensor::kB, 1), first(Distribution::kDay98, Tensor::kB, 1));
}

double rms(const Matrix<float>& x, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
  double squares = 0;
  for (std::int64_t i = row; i < row + rows; ++i) {
    for (std::int64_t j = col; j < col + cols; ++j) squares += double{x(i, j)} * x(i, j);
  }
  return std::sqrt(squares / static_cast<double>(rows * cols));
}
double rms_of_row(const Matrix<float>& x, std::int64_t row) { return rms(x, row, 0, 1, x.cols()); }
double rms_of_column(const Matrix<float>& x, std::int64_t col) { return rms(x, 0, col, x.rows(), 1); }

template <class Is>
double fraction(const Matrix<float>& x, const Is& is) {
  return static_cast<double>(std::count_if(x.flat().begin(), x.flat().end(), is)) / static_cast<double>(x.size());
}

bool is_below_zero(float x) { return x < 0; }
bool is_minus_zero(float x) { return x == 0 && std::signbit(x); }

TEST(Relu, HalfOfAIsZeroAndBHasBothSigns) {
  const Matrix<float> a = make_input(Distribution::kRelu, Tensor::kA, 1, 128, 128);
  EXPECT_EQ(fraction(a, is_below_zero), 0);
  EXPECT_EQ(fraction(a, is_minus_zero), 0);
  EXPECT_NEAR(fraction(a, [](float x) { return x == 0; }), 0.5, 0.02);
  EXPECT_NEAR(rms(a, 0, 0, 128, 128), std::sqrt(0.5), 0.02);
  const Matrix<float> b = make_input(Distribution::kRelu, Tensor::kB, 1, 128, 128);
  EXPECT_NEAR(fraction(b, is_below_zero), 0.5, 0.02);
  EXPECT_NEAR(rms(b, 0, 0, 128, 128), 1.0, 0.02);
}

TEST(OneSigned, AIsInOneToTwoAndBIsNegative) {
  const Matrix<float> a = make_input(Distribution::kOneSigned, Tensor::kA, 1, 128, 128);
  EXPECT_EQ(fraction(a, [](float x) { return x >= 1 && x < 2; }), 1);
  EXPECT_NEAR(fraction(a, [](float x) { return x < 1.25f; }), 0.25, 0.02);
  const Matrix<float> b = make_input(Distribution::kOneSigned, Tensor::kB, 1, 128, 128);
  EXPECT_EQ(fraction(b, [](float x) { return x <= -1 && x > -2; }), 1);
}

// P(|x| ≥ 2⁶) = Σ_{j ≥ 6} 2^−(j+1)·(1 − 2^(6−j)) = 1/192, but for the cap at j = 12.
TEST(Heavy, HasTailsUpToTheCap) {
  const Matrix<float> x = make_input(Distribution::kHeavy, Tensor::kB, 1, 512, 512);
  EXPECT_NEAR(fraction(x, [](float v) { return std::fabs(v) >= 64; }), 1.0 / 192, 0.0006);
  EXPECT_NEAR(fraction(x, [](float v) { return std::fabs(v) < 1; }), 2.0 / 3, 0.005);
  EXPECT_NEAR(fraction(x, is_below_zero), 0.5, 0.005);
  const auto largest = std::max_element(x.flat().begin(), x.flat().end());
  EXPECT_GT(*largest, 2048);
  EXPECT_LT(*largest, 4096);
}

std::vector<std::int64_t> loud_channels(Tensor tensor, std::uint64_t seed, std::int64_t channels) {
  const Matrix<float> x = make_input(Distribution::kOutlierChannel, tensor, seed, 64, channels);
  std::vector<std::int64_t> loud;
  for (std::int64_t col = 0; col < channels; ++col) {
    const double size = rms_of_column(x, col);
    EXPECT_TRUE((size > 0.6 && size < 1.4) || (size > 60 && size < 140)) << size;
    if (size > 60) loud.push_back(col);
  }
  return loud;
}

TEST(OutlierChannel, OneOfEach256AndTheSameInCalibration) {
  EXPECT_THAT(loud_channels(Tensor::kA, 1, 600), ElementsAre(226, 324, 573));
  EXPECT_THAT(loud_channels(Tensor::kCalibration, 1, 600), ElementsAre(226, 324, 573));
  EXPECT_THAT(loud_channels(Tensor::kA, 2, 600), ElementsAre(3, 472, 559));
  EXPECT_THAT(loud_channels(Tensor::kA, 1, 1), ElementsAre(0));
  EXPECT_THAT(loud_channels(Tensor::kB, 1, 600), ElementsAre());
  EXPECT_THAT(loud_channels(Tensor::kBias, 1, 600), ElementsAre());
}

TEST(OutlierRow, IsRow0OfAAlone) {
  const Matrix<float> a = make_input(Distribution::kOutlierRow, Tensor::kA, 1, 16, 512);
  EXPECT_NEAR(rms_of_row(a, 0), 20.0, 2.0);
  for (std::int64_t row = 1; row < 16; ++row) EXPECT_NEAR(rms_of_row(a, row), 1.0, 0.15);
  const Matrix<float> b = make_input(Distribution::kOutlierRow, Tensor::kB, 1, 16, 512);
  EXPECT_NEAR(rms_of_row(b, 0), 1.0, 0.15);
}

// At scale 1 the codes are the elements themselves, so 31 of 32 lie exactly between two.
TEST(Ties, EveryScaleOf127StepsIsOne) {
  const Matrix<float> a = make_input(Distribution::kTies, Tensor::kA, 1, 40, 130);
  const Matrix<float> b = make_input(Distribution::kTies, Tensor::kB, 1, 130, 40);
  EXPECT_THAT(quantize::symmetric_int8(a.view(), Granularity::tensor()).value().scales, Each(1.0f));
  EXPECT_THAT(quantize::symmetric_int8(b.view(), Granularity::tensor()).value().scales, Each(1.0f));
  EXPECT_THAT(quantize::symmetric_int8(b.view(), Granularity::column()).value().scales, Each(1.0f));
  for (std::int64_t k = 0; k < 130; ++k) {
    for (std::int64_t line = 0; line < 40; ++line) {
      for (const float x : {std::fabs(a(line, k)), std::fabs(b(k, line))}) {
        if (k == 0 || k == 32 || k == 64 || k == 96 || k == 128) {
          ASSERT_EQ(x, 127.0f);
        } else {
          ASSERT_EQ(x - std::floor(x), 0.5f);
          ASSERT_LE(x, 126.5f);
        }
      }
    }
  }
}

TEST(BelowPow2, TheNextFloatIsAPowerOfTwo) {
  const Matrix<float> x = make_input(Distribution::kBelowPow2, Tensor::kA, 1, 128, 128);
  for (const float power : {0x1p-4f, 0x1p-3f, 0x1p-2f, 0x1p-1f, 1.0f, 2.0f, 4.0f, 8.0f}) {
    const auto is_just_below = [power](float v) { return std::nextafter(std::fabs(v), 16.0f) == power; };
    EXPECT_NEAR(fraction(x, is_just_below), 0.125, 0.02) << power;
  }
  EXPECT_EQ(fraction(x, [](float v) { return std::fabs(v) < 8 && std::fabs(v) > 0.062f; }), 1);
  EXPECT_NEAR(fraction(x, is_below_zero), 0.5, 0.02);
}

TEST(MaxPairs, PairsAlongKHaveOneSignAndOneElementReachesTheLimit) {
  const Matrix<float> a = make_input(Distribution::kMaxPairs, Tensor::kA, 1, 20, 33);
  const Matrix<float> b = make_input(Distribution::kMaxPairs, Tensor::kB, 1, 33, 20);
  EXPECT_EQ(fraction(a, [](float x) { return std::fabs(x) == 127; }), 1);
  EXPECT_EQ(fraction(b, [](float x) { return std::fabs(x) == 127; }), 1);
  EXPECT_NEAR(fraction(a, is_below_zero), 0.475, 0.05);  // half of 19 rows of 20
  EXPECT_NEAR(fraction(b, is_below_zero), 0.475, 0.05);
  for (std::int64_t line = 0; line < 20; ++line) {
    for (std::int64_t k = 0; k < 32; k += 2) {
      ASSERT_EQ(a(line, k), a(line, k + 1));
      ASSERT_EQ(b(k, line), b(k + 1, line));
    }
  }
  double sum = 0;
  for (std::int64_t k = 0; k < 33; ++k) sum += double{a(0, k)} * b(k, 0);
  EXPECT_EQ(sum, 532257.0);  // 33·127²
}

void expect_that_products_cancel(std::int64_t depth, const std::vector<std::int64_t>& left) {
  const Matrix<float> a = make_input(Distribution::kCancel, Tensor::kA, 1, 6, depth);
  const Matrix<float> b = make_input(Distribution::kCancel, Tensor::kB, 1, depth, 7);
  for (std::int64_t row = 0; row < 6; ++row) {
    for (std::int64_t col = 0; col < 7; ++col) {
      double sum = 0, magnitudes = 0, remainder = 0;
      for (std::int64_t k = 0; k < depth; ++k) sum += double{a(row, k)} * b(k, col);
      for (std::int64_t k = 0; k < depth; ++k) magnitudes += std::fabs(double{a(row, k)} * b(k, col));
      for (const std::int64_t k : left) {
        EXPECT_GE(std::fabs(a(row, k)), 0.0625f);
        EXPECT_LT(std::fabs(a(row, k)), 0.125f);
        remainder += double{a(row, k)} * b(k, col);
      }
      EXPECT_NEAR(sum, remainder, 1e-12);
      EXPECT_GT(magnitudes, 50 * std::fabs(sum));
    }
  }
}

TEST(Cancel, LeavesTheUnpairedProducts) {
  expect_that_products_cancel(257, {0});
  expect_that_products_cancel(258, {0, 257});
}

TEST(Subnormal, AHasZerosSubnormalsAndTheSmallestNormals) {
  const Matrix<float> a = make_input(Distribution::kSubnormal, Tensor::kA, 1, 128, 128);
  const auto magnitude_below = [&](float limit) {
    return fraction(a, [=](float x) { return x != 0 && std::fabs(x) < limit; });
  };
  EXPECT_NEAR(fraction(a, [](float x) { return x == 0; }), 0.313, 0.02);  // ¾·¼ + ¼·½
  EXPECT_NEAR(magnitude_below(0x1p-126f), 0.313, 0.02);
  EXPECT_GT(magnitude_below(1e-42f), 0.01);
  EXPECT_GT(fraction(a, [](float x) { return std::fabs(x) > 1e-35f; }), 0.02);
  EXPECT_EQ(fraction(a, [](float x) { return std::fabs(x) < 0x1p-115f; }), 1);
  for (std::int64_t row = 0; row < 128; ++row) {
    float largest = 0;
    for (std::int64_t col = 0; col < 128; ++col) largest = std::max(largest, std::fabs(a(row, col)));
    EXPECT_TRUE(row % 4 == 3 ? largest < 0x1p-126f : largest >= 0x1p-116f) << row << " " << largest;
  }
}

TEST(Subnormal, BIsUniformButForEachFourthK) {
  const Matrix<float> b = make_input(Distribution::kSubnormal, Tensor::kB, 1, 128, 128);
  for (std::int64_t row = 0; row < 128; ++row) {
    if (row % 4 == 3) {
      EXPECT_LT(rms_of_row(b, row), 0x1p-115);
    } else {
      EXPECT_NEAR(rms_of_row(b, row), std::sqrt(1.0 / 3), 0.15);
    }
  }
}

TEST(ZeroRows, EachFourthRowOfAAndColumnOfB) {
  const Matrix<float> a = make_input(Distribution::kZeroRows, Tensor::kA, 1, 16, 64);
  const Matrix<float> b = make_input(Distribution::kZeroRows, Tensor::kB, 1, 64, 16);
  for (std::int64_t line = 0; line < 16; ++line) {
    const bool a_is_zero = line == 1 || line == 5 || line == 9 || line == 13;
    const bool b_is_zero = line == 2 || line == 6 || line == 10 || line == 14;
    EXPECT_EQ(rms_of_row(a, line) == 0, a_is_zero) << line;
    EXPECT_EQ(rms_of_column(b, line) == 0, b_is_zero) << line;
  }
}

// (first, length) of each run of more than one zero.
std::vector<std::pair<std::int64_t, std::int64_t>> zero_runs(const std::vector<float>& line) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (auto at = line.begin(); at != line.end();) {
    at = std::find(at, line.end(), 0.0f);
    const auto end = std::find_if(at, line.end(), [](float x) { return x != 0; });
    if (end - at > 1) runs.emplace_back(at - line.begin(), end - at);
    at = end;
  }
  return runs;
}

TEST(ZeroBlocks, AreRunsOf32AndOf128AlongK) {
  const Matrix<float> a = make_input(Distribution::kZeroBlocks, Tensor::kA, 1, 2, 512);
  const auto row = [&](std::int64_t i) { return std::vector<float>(a.view().row(i), a.view().row(i) + 512); };
  EXPECT_THAT(zero_runs(row(0)), ElementsAre(Pair(32, 32), Pair(160, 32), Pair(256, 128), Pair(416, 32)));
  EXPECT_THAT(zero_runs(row(1)), ElementsAre(Pair(0, 32), Pair(128, 160), Pair(384, 32)));
  const Matrix<float> b = make_input(Distribution::kZeroBlocks, Tensor::kB, 1, 512, 1);
  EXPECT_THAT(zero_runs({b.flat().begin(), b.flat().end()}),
              ElementsAre(Pair(32, 32), Pair(160, 32), Pair(256, 128), Pair(416, 32)));
}

TEST(MinusZero, IsHalfOfTheElementsAmongSmallIntegers) {
  const Matrix<float> x = make_input(Distribution::kMinusZero, Tensor::kA, 1, 128, 128);
  EXPECT_NEAR(fraction(x, is_minus_zero), 0.5, 0.02);
  for (const float value : {-3.0f, -2.0f, -1.0f, 1.0f, 2.0f, 3.0f}) {
    EXPECT_NEAR(fraction(x, [=](float v) { return v == value; }), 1.0 / 14, 0.01) << value;
  }
  EXPECT_NEAR(fraction(x, [](float v) { return v == 0 && !std::signbit(v); }), 1.0 / 14, 0.01);
}

TEST(Calibration, IsDistributedLikeAAndIndependent) {
  const Matrix<float> a = make_input(Distribution::kRelu, Tensor::kA, 1, 64, 64);
  const Matrix<float> calibration = make_input(Distribution::kRelu, Tensor::kCalibration, 1, 64, 64);
  EXPECT_EQ(fraction(calibration, is_below_zero), 0);
  double products = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) products += (double{a.data()[i]} - 0.4) * (calibration.data()[i] - 0.4);
  EXPECT_NEAR(products / static_cast<double>(a.size()), 0.0, 0.03);
}

TEST(Bias, HasTheMagnitudeOfB) {
  const Matrix<float> bias = make_input(Distribution::kOneSigned, Tensor::kBias, 1, 1, 100);
  EXPECT_EQ(fraction(bias, [](float x) { return x <= -1 && x > -2; }), 1);
}

// FP16 ends at 65504, and sums of products up to 2²⁴ are far from the end of FP32.
TEST(Inputs, AreFiniteAndInsideTheRangeOfFp16) {
  for (const Distribution distribution : all_distributions()) {
    for (const Tensor tensor : kAllTensors) {
      const Matrix<float> x = make_input(distribution, tensor, 7, 64, 300);
      EXPECT_EQ(fraction(x, [](float v) { return std::fabs(v) <= 4096; }), 1) << to_string(distribution);
    }
  }
}

TEST(Inputs, DoNotDependOnTheNumberOfRows) {
  for (const Distribution distribution : all_distributions()) {
    for (const Tensor tensor : kAllTensors) {
      const Matrix<float> few = make_input(distribution, tensor, 5, 3, 17);
      const Matrix<float> many = make_input(distribution, tensor, 5, 40, 17);
      EXPECT_TRUE(std::equal(few.flat().begin(), few.flat().end(), many.flat().begin())) << to_string(distribution);
    }
  }
}

TEST(Inputs, DoNotDependOnThreads) {
  const int threads = omp_get_max_threads();
  for (const Distribution distribution : all_distributions()) {
    for (const Tensor tensor : kAllTensors) {
      omp_set_num_threads(1);
      const Matrix<float> one = make_input(distribution, tensor, 5, 33, 17);
      omp_set_num_threads(7);
      const Matrix<float> seven = make_input(distribution, tensor, 5, 33, 17);
      EXPECT_TRUE(std::equal(one.flat().begin(), one.flat().end(), seven.flat().begin())) << to_string(distribution);
    }
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace narrowgate
