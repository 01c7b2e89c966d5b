// Calibrated ranges: nearest rank on literals, and the known optima of the squared error for known distributions.
#include "kernels/quantize/calibration.h"

#include <gtest/gtest.h>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

TEST(PercentileRange, NearestRank) {
  const std::vector<float> x = {-5.0f, 1.0f, 2.0f, -3.0f, 4.0f};
  EXPECT_EQ(percentile_range(x, 1.0), 5.0f);
  EXPECT_EQ(percentile_range(x, 0.8), 4.0f);
  EXPECT_EQ(percentile_range(x, 0.81), 5.0f);
  EXPECT_EQ(percentile_range(x, 0.01), 1.0f);
  EXPECT_EQ(percentile_range(x, 0.5), 3.0f);
}

TEST(LeastSquaresRange, KeepsTheMaximumWhenItIsExact) {
  const std::vector<float> x = {7.0f, -3.0f, 1.0f};
  EXPECT_EQ(least_squares_range(x, formats::kInt4), 7.0f);
}

// Quantiles of the distribution in place of random draws, extended so that the grid reaches the optimum well. The
// largest element is set so that one grid step is `step` standard deviations.
std::vector<float> laplace_quantiles(std::size_t count) {
  std::vector<float> x;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double magnitude = -std::log(p < 0.5 ? 2 * p : 2 - 2 * p) / std::sqrt(2.0);
    x.push_back(static_cast<float>(p < 0.5 ? -magnitude : magnitude));
  }
  return x;
}

std::vector<float> gaussian_quantiles(std::size_t count) {
  std::vector<float> x;
  double value = -6.0;
  double cumulative = 0.5 * std::erfc(6.0 / std::sqrt(2.0));
  for (std::size_t i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    while (cumulative < p) {
      value += 1e-4;
      cumulative = 0.5 * std::erfc(-value / std::sqrt(2.0));
    }
    x.push_back(static_cast<float>(value));
  }
  return x;
}

TEST(LeastSquaresRange, KnownOptimaOfUnitVariance) {
  const std::vector<float> gauss = gaussian_quantiles(1 << 16);
  EXPECT_NEAR(least_squares_range(gauss, formats::kInt4), 2.5, 0.15);
  EXPECT_NEAR(least_squares_range(gauss, formats::kInt8), 4.0, 0.25);
  const std::vector<float> laplace = laplace_quantiles(1 << 16);
  EXPECT_NEAR(least_squares_range(laplace, formats::kInt4), 3.5, 0.3);
  EXPECT_NEAR(least_squares_range(laplace, formats::kInt8), 6.9, 0.5);
}

TEST(UniformNoise, OfAStepIsItsSquareOverTwelve) {
  const Matrix<float> x = generated(1, 1 << 18, [](std::uint64_t i) { return uniform(i) * 2.0f - 1.0f; });
  const auto q = symmetric_integer(x.view(), formats::kInt8, Granularity::tensor(), ScaleStorage::fp32);
  const double step = q->scales[0];
  EXPECT_NEAR(squared_error(x.view(), *q) / static_cast<double>(x.size()) / (step * step / 12), 1.0, 0.01);
}

}  // namespace
}  // namespace narrowgate::quantize
