// Inputs: literals of the first elements (they are part of every digest), moments, and independence of threads.
#include "suites/engine/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

namespace narrowgate {
namespace {

TEST(Inputs, NamesRoundTrip) {
  for (const Distribution distribution : all_distributions()) {
    EXPECT_EQ(find_distribution(to_string(distribution)), distribution);
  }
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

TEST(Inputs, DoNotDependOnThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Matrix<float> one = make_input(Distribution::kNormal, Tensor::kA, 5, 33, 17);
  omp_set_num_threads(7);
  const Matrix<float> seven = make_input(Distribution::kNormal, Tensor::kA, 5, 33, 17);
  omp_set_num_threads(threads);
  EXPECT_TRUE(std::equal(one.flat().begin(), one.flat().end(), seven.flat().begin()));
}

}  // namespace
}  // namespace narrowgate
