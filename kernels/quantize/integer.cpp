#include "kernels/quantize/integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quantize/block_statistics.h"

namespace narrowgate::quantize {
namespace {

constexpr float kScaleFloor = std::numeric_limits<float>::min();  // 2⁻¹²⁶

// Applies encode(x, block) to every element, rows in parallel.
template <class Encode>
Matrix<std::int8_t> encode_rows(View<const float> x, Granularity granularity, const Encode& encode) {
  Matrix<std::int8_t> codes(x.rows, x.cols);
  const std::int64_t width = granularity.cols == 0 ? x.cols : granularity.cols;
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < x.rows; ++row) {
    auto block = static_cast<std::size_t>(granularity.index(row, 0, x.cols));
    const float* in = x.row(row);
    std::int8_t* out = codes.view().row(row);
    if (width == 1) {
      for (std::int64_t col = 0; col < x.cols; ++col) out[col] = encode(in[col], block + static_cast<std::size_t>(col));
      continue;
    }
    for (std::int64_t first = 0; first < x.cols; first += width, ++block) {
      const std::int64_t last = std::min(first + width, x.cols);
      for (std::int64_t col = first; col < last; ++col) out[col] = encode(in[col], block);
    }
  }
  return codes;
}

}  // namespace

OrRefusal<void> refuse_non_finite(View<const float> x) {
  for (std::int64_t row = 0; row < x.rows; ++row) {
    // Σ 0·x is NaN exactly when an element is not finite; one cheap pass finds the row, a second the place.
    float probe = 0.0f;
    for (std::int64_t col = 0; col < x.cols; ++col) probe += 0.0f * x(row, col);
    if (probe == 0.0f) continue;
    for (std::int64_t col = 0; col < x.cols; ++col) {
      if (!std::isfinite(x(row, col))) {
        return tl::unexpected(
            Refusal{fmt::format("element at row {}, column {} is {}; only finite values can be quantized", row, col,
                                x(row, col))});
      }
    }
  }
  return {};
}

OrRefusal<QuantizedMatrix> symmetric_int8(View<const float> x, Granularity granularity) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  QuantizedMatrix result;
  result.granularity = granularity;
  for (const BlockRange& range : block_ranges(x, granularity)) {
    result.scales.push_back(std::max(std::max(-range.low, range.high) / 127.0f, kScaleFloor));
  }
  const float* scales = result.scales.data();
  result.codes = encode_rows(x, granularity, [scales](float value, std::size_t block) {
    const float code = std::nearbyint(value / scales[block]);
    return static_cast<std::int8_t>(std::clamp(code, -127.0f, 127.0f));
  });
  return result;
}

OrRefusal<QuantizedMatrix> asymmetric_int8(View<const float> x, Granularity granularity) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  QuantizedMatrix result;
  result.granularity = granularity;
  result.code_offset = 128;
  for (const BlockRange& range : block_ranges(x, granularity)) {
    const float span = range.high - range.low;
    if (!std::isfinite(span)) {
      return tl::unexpected(Refusal{fmt::format("the range [{}, {}] of a block overflows FP32", range.low, range.high)});
    }
    const float scale = std::max(span / 255.0f, kScaleFloor);
    const float zero_point = std::clamp(std::nearbyint(-range.low / scale), 0.0f, 255.0f);
    result.scales.push_back(scale);
    result.zero_points.push_back(static_cast<std::int32_t>(zero_point) - 128);
  }
  const float* scales = result.scales.data();
  const std::int32_t* zero_points = result.zero_points.data();
  result.codes = encode_rows(x, granularity, [=](float value, std::size_t block) {
    // Both terms are integers far below 2²⁴, so the sum is exact.
    const float code = std::nearbyint(value / scales[block]) + static_cast<float>(zero_points[block]);
    return static_cast<std::int8_t>(std::clamp(code, -128.0f, 127.0f));
  });
  return result;
}

}  // namespace narrowgate::quantize
