// Signal to quantization noise of weights of four distributions, K = 1024, against measured figures: a wrong scale,
// rounding or saturation moves them by decibels.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/mx.h"
#include "kernels/quantize/nvfp4.h"
#include "kernels/quantize/scaled_float.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

constexpr double kTolerance = 0.6;

double sqnr(View<const float> x, const OrRefusal<QuantizedMatrix>& q) {
  double signal = 0;
  for (std::int64_t i = 0; i < x.rows * x.cols; ++i) signal += static_cast<double>(x.data[i]) * x.data[i];
  return 10 * std::log10(signal / squared_error(x, q.value()));
}

// One row of the table: decibels for each quantizer.
struct Expected {
  double int8, e4m3, mxfp8_floor, mxfp8_rceil, mxfp4_floor, mxfp4_rceil, nvfp4, w4_symmetric, w4_asymmetric;
};

void expect_sqnr(const Matrix<float>& b, const Expected& expected) {
  const View<const float> x = b.view();
  const auto mx_sqnr = [&](const formats::Format& element, MxRule rule) {
    return sqnr(x, mx(x, element, rule, BlockAxis::rows));
  };
  const Granularity g128{128, 1};
  using enum ScaleStorage;
  EXPECT_NEAR(sqnr(x, symmetric_integer(x, formats::kInt8, Granularity::column(), fp32)), expected.int8, kTolerance);
  EXPECT_NEAR(sqnr(x, scaled_float(x, formats::kE4m3, Granularity::column())), expected.e4m3, kTolerance);
  EXPECT_NEAR(mx_sqnr(formats::kE4m3, MxRule::floor), expected.mxfp8_floor, kTolerance);
  EXPECT_NEAR(mx_sqnr(formats::kE4m3, MxRule::rceil), expected.mxfp8_rceil, kTolerance);
  EXPECT_NEAR(mx_sqnr(formats::kE2m1, MxRule::floor), expected.mxfp4_floor, kTolerance);
  EXPECT_NEAR(mx_sqnr(formats::kE2m1, MxRule::rceil), expected.mxfp4_rceil, kTolerance);
  EXPECT_NEAR(sqnr(x, nvfp4(x, BlockAxis::rows)), expected.nvfp4, kTolerance);
  EXPECT_NEAR(sqnr(x, symmetric_integer(x, formats::kInt4, g128, fp16)), expected.w4_symmetric, kTolerance);
  EXPECT_NEAR(sqnr(x, asymmetric_integer(x, formats::kUint4, g128, fp16)), expected.w4_asymmetric, kTolerance);
}

float signed_uniform(std::uint64_t i) { return uniform(i) * 2.0f - 1.0f; }

TEST(Sqnr, Gauss) {
  expect_sqnr(gaussian_matrix(1024, 64), {42.2, 31.6, 30.7, 31.5, 18.8, 18.7, 20.4, 18.6, 19.9});
}

TEST(Sqnr, Uniform) {
  expect_sqnr(generated(1024, 64, signed_uniform), {48.1, 31.9, 26.2, 32.5, 16.8, 20.1, 19.9, 23.0, 23.6});
}

TEST(Sqnr, GaussWithEvery37thEightTimesAsLarge) {
  // 256 columns: the sum over few large outliers needs them to settle (64 columns vary by ±0.5 dB).
  const auto outlier = [](std::uint64_t i) { return gaussian(i) * (i % 37 == 0 ? 8.0f : 1.0f); };
  expect_sqnr(generated(1024, 256, outlier), {31.7, 32.1, 28.7, 31.5, 15.7, 14.8, 20.8, 10.6, 13.9});
}

TEST(Sqnr, JustBelowPowersOfTwo) {
  const auto below = [](std::uint64_t i) {
    const std::uint32_t word = philox_word({.seed = 6}, i);
    const auto power = static_cast<float>(formats::power_of_two(-static_cast<int>((word >> 8) % 24)));
    return std::nextafter(power, 0.0f) * (word % 2 == 0 ? 1.0f : -1.0f);
  };
  expect_sqnr(generated(1024, 64, below), {45.1, 111, 19.1, 109, 13.0, 24.9, 28.0, 20.5, 20.9});
}

}  // namespace
}  // namespace narrowgate::quantize
