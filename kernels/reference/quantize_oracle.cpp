#include "kernels/reference/quantize_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace narrowgate::reference {
namespace {

// FP32's smallest normal number, the floor of a scale.
constexpr float kSmallestNormal = 0x1p-126f;

// Ranges of every block, gathered element by element.
struct Extent {
  float low = 0.0f, high = 0.0f;
};

std::vector<Extent> extents(View<const float> x, Granularity granularity) {
  std::vector<Extent> result(static_cast<std::size_t>(granularity.block_rows(x.rows) * granularity.block_cols(x.cols)));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      Extent& extent = result[static_cast<std::size_t>(granularity.index(row, col, x.cols))];
      extent.low = std::fmin(extent.low, x(row, col));
      extent.high = std::fmax(extent.high, x(row, col));
    }
  }
  return result;
}

float at_least_normal(float scale) { return scale < kSmallestNormal ? kSmallestNormal : scale; }

long clamp_to(long code, long low, long high) { return code < low ? low : code > high ? high : code; }

}  // namespace

QuantizedMatrix replay_int8(View<const float> x, Granularity granularity, IntegerRange range) {
  QuantizedMatrix result;
  result.granularity = granularity;
  result.codes = Matrix<std::int8_t>(x.rows, x.cols);
  const bool asymmetric = range == IntegerRange::kAsymmetric;
  result.code_offset = asymmetric ? 128 : 0;
  for (const Extent& extent : extents(x, granularity)) {
    if (asymmetric) {
      const float scale = at_least_normal((extent.high - extent.low) / 255.0f);
      result.scales.push_back(scale);
      result.zero_points.push_back(static_cast<std::int32_t>(clamp_to(std::lrint(-extent.low / scale), 0, 255)) - 128);
    } else {
      result.scales.push_back(at_least_normal(std::fmax(std::fabs(extent.low), extent.high) / 127.0f));
    }
  }
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const long code = std::lrint(x(row, col) / result.scale_at(row, col));
      result.codes(row, col) = static_cast<std::int8_t>(
          asymmetric ? clamp_to(code + result.zero_point_at(row, col), -128, 127) : clamp_to(code, -127, 127));
    }
  }
  return result;
}

Matrix<float> replay_prune24(View<const float> b) {
  Matrix<float> kept(b.rows, b.cols);
  for (std::int64_t col = 0; col < b.cols; ++col) {
    for (std::int64_t first = 0; first < b.rows; first += 4) {
      std::vector<std::int64_t> rows;
      for (std::int64_t row = first; row < std::min(first + 4, b.rows); ++row) rows.push_back(row);
      // A stable sort leaves the lower k first among equal magnitudes.
      std::stable_sort(rows.begin(), rows.end(),
                       [&](std::int64_t left, std::int64_t right) { return std::fabs(b(left, col)) > std::fabs(b(right, col)); });
      for (std::size_t rank = 0; rank < std::min<std::size_t>(2, rows.size()); ++rank) kept(rows[rank], col) = b(rows[rank], col);
    }
  }
  return kept;
}

std::string first_difference(const QuantizedMatrix& actual, const QuantizedMatrix& expected) {
  if (actual.scales.size() != expected.scales.size()) {
    return fmt::format("{} scales instead of {}", actual.scales.size(), expected.scales.size());
  }
  for (std::size_t i = 0; i < expected.scales.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(actual.scales[i]) != std::bit_cast<std::uint32_t>(expected.scales[i])) {
      return fmt::format("scale {} is {:a} instead of {:a}", i, actual.scales[i], expected.scales[i]);
    }
  }
  if (actual.zero_points.size() != expected.zero_points.size()) {
    return fmt::format("{} zero points instead of {}", actual.zero_points.size(), expected.zero_points.size());
  }
  for (std::size_t i = 0; i < expected.zero_points.size(); ++i) {
    if (actual.zero_points[i] != expected.zero_points[i]) {
      return fmt::format("zero point {} is {} instead of {}", i, actual.zero_points[i] + actual.code_offset,
                         expected.zero_points[i] + expected.code_offset);
    }
  }
  for (std::int64_t row = 0; row < expected.rows(); ++row) {
    for (std::int64_t col = 0; col < expected.cols(); ++col) {
      if (expected.is_float() ? std::bit_cast<std::uint32_t>(actual.values(row, col)) ==
                                    std::bit_cast<std::uint32_t>(expected.values(row, col))
                              : actual.codes(row, col) == expected.codes(row, col)) {
        continue;
      }
      if (expected.is_float()) {
        return fmt::format("the value at row {}, column {} is {:a} instead of {:a}", row, col, actual.values(row, col),
                           expected.values(row, col));
      }
      return fmt::format("the code at row {}, column {} is {} instead of {}", row, col,
                         actual.codes(row, col) + actual.code_offset, expected.codes(row, col) + expected.code_offset);
    }
  }
  return {};
}

}  // namespace narrowgate::reference
