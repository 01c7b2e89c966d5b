// Matrices on which quantizers go wrong, and changes planted in results, for the tests of the replays.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/quantize/test_inputs.h"
#include "kernels/reference/quantize_oracle.h"

namespace narrowgate::reference {

inline constexpr std::int64_t kHardRows = 70;  // a multiple of no group
inline constexpr std::int64_t kHardCols = 45;

// Multiples of a half, with `top` in each eighth row and column: where a scale becomes 1, half of them are ties.
inline float tie(std::uint64_t i, int top) {
  const std::uint64_t row = i / kHardCols;
  const std::uint64_t col = i % kHardCols;
  if (row % 8 == 0 || col % 8 == 0) return static_cast<float>(top);
  const auto choices = static_cast<std::uint32_t>(4 * top + 1);
  return static_cast<float>(philox_word({.seed = 21}, i) % choices) / 2 - static_cast<float>(top);
}

// Any finite pattern of bits no larger than `limit`.
inline float any_float(std::uint64_t i, float limit) {
  const float x = std::bit_cast<float>(philox_word({.seed = 22}, i));
  return std::isfinite(x) && std::fabs(x) <= limit ? x : 0.0f;
}

inline float subnormal(std::uint64_t i) {
  return std::bit_cast<float>(philox_word({.seed = 23}, i) & 0x807FFFFFu);
}

inline bool in_zero_tile(std::uint64_t i) { return (i / kHardCols / 16 + i % kHardCols / 16) % 2 == 0; }

struct HardInput {
  std::string name;
  Matrix<float> x;
};

// No element larger than `limit`. Many blocks of one kind or another: zeros of both signs, one sign only, constants.
inline std::vector<HardInput> hard_inputs(float limit) {
  using quantize::gaussian;
  const auto make = [](const auto& generate) { return quantize::generated(kHardRows, kHardCols, generate); };
  return {
      {"gaussian", make([](std::uint64_t i) { return gaussian(i); })},
      {"ties of 1", make([](std::uint64_t i) { return tie(i, 1); })},
      {"ties of 7", make([](std::uint64_t i) { return tie(i, 7); })},
      {"ties of 6", make([](std::uint64_t i) { return tie(i, 6); })},
      {"ties of 127", make([](std::uint64_t i) { return tie(i, 127); })},
      {"ties of 448", make([](std::uint64_t i) { return tie(i, 448); })},
      {"zero tiles", make([](std::uint64_t i) { return in_zero_tile(i) ? (i % 3 == 0 ? -0.0f : 0.0f) : gaussian(i); })},
      {"zeros", make([](std::uint64_t) { return 0.0f; })},
      {"subnormals", make([](std::uint64_t i) { return in_zero_tile(i) ? subnormal(i) : 0x1p-120f * gaussian(i); })},
      {"only subnormals", make(subnormal)},
      {"any floats", make([limit](std::uint64_t i) { return any_float(i, limit); })},
      {"huge", make([limit](std::uint64_t i) { return (quantize::uniform(i) * 2 - 1) * limit; })},
      {"positive", make([](std::uint64_t i) { return std::fabs(gaussian(i)) + 5; })},
      {"negative", make([](std::uint64_t i) { return -std::fabs(gaussian(i)); })},
      {"constant", make([](std::uint64_t) { return 0.3f; })},
      {"outliers", make([](std::uint64_t i) { return gaussian(i) * (i % 37 == 0 ? 50.0f : 1.0f); })},
  };
}

inline const Granularity kHardGranularities[] = {{0, 0},  {0, 1},   {1, 0},   {32, 1},  {1, 32},
                                                 {16, 1}, {128, 1}, {1, 128}, {16, 16}, {128, 128}};

// A matrix as `values`, so that first_difference compares it; factors as a row.
inline QuantizedMatrix as_values(const Matrix<float>& x) {
  QuantizedMatrix result;
  result.values = x;
  return result;
}

inline QuantizedMatrix as_values(std::span<const float> factors) {
  Matrix<float> row(1, static_cast<std::int64_t>(factors.size()));
  std::copy(factors.begin(), factors.end(), row.data());
  return as_values(row);
}

inline float one_ulp_more(float x) { return std::nextafter(x, std::numeric_limits<float>::infinity()); }

// Every kind of change to the last number of its kind, each of which must be reported.
inline void expect_planted_changes_found(const QuantizedMatrix& expected) {
  const auto expect_found = [&](const auto& plant, const char* what) {
    QuantizedMatrix actual = expected;
    plant(actual);
    EXPECT_NE(first_difference(actual, expected), "") << what;
  };
  EXPECT_EQ(first_difference(expected, expected), "");
  const std::int64_t row = expected.rows() - 1;
  const std::int64_t col = expected.cols() - 1;
  if (expected.is_float()) {
    expect_found([&](QuantizedMatrix& q) { q.values(row, col) = one_ulp_more(q.values(row, col)); }, "value");
    expect_found([&](QuantizedMatrix& q) { q.values(row, 0) = -q.values(row, 0); }, "sign");
    return;
  }
  expect_found([&](QuantizedMatrix& q) { ++q.codes(row, col); }, "code");
  expect_found([](QuantizedMatrix& q) { q.scales.back() = one_ulp_more(q.scales.back()); }, "scale");
  expect_found([](QuantizedMatrix& q) { q.scales.pop_back(); }, "count of scales");
  expect_found([](QuantizedMatrix& q) { q.tensor_scale = one_ulp_more(q.tensor_scale); }, "tensor scale");
  expect_found([](QuantizedMatrix& q) { q.zero_points.push_back(0); }, "count of zero points");
  expect_found([](QuantizedMatrix& q) { q.fractional_zero_points.push_back(0.0f); }, "count of fractional zero points");
  if (!expected.zero_points.empty()) expect_found([](QuantizedMatrix& q) { ++q.zero_points.back(); }, "zero point");
  if (!expected.fractional_zero_points.empty()) {
    const auto plant = [](QuantizedMatrix& q) { q.fractional_zero_points[0] = one_ulp_more(q.fractional_zero_points[0]); };
    expect_found(plant, "fractional zero point");
  }
}

}  // namespace narrowgate::reference
