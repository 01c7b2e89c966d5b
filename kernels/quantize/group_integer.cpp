#include "kernels/quantize/group_integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/block_statistics.h"
#include "kernels/quantize/integer.h"

namespace narrowgate::quantize {
namespace {

// Scales of all blocks from their exact values, or the block that its storage type cannot hold.
OrRefusal<std::vector<float>> stored_scales(std::span<const double> exact, ScaleStorage storage) {
  std::vector<float> scales;
  scales.reserve(exact.size());
  for (const double value : exact) {
    scales.push_back(stored_scale(value, storage));
    if (!std::isfinite(scales.back())) {
      return tl::unexpected(Refusal{fmt::format("block {} needs the scale {:g}, beyond its storage type",
                                                scales.size() - 1, value)});
    }
  }
  return scales;
}

// Everything but codes: the fields that all integer forms share.
OrRefusal<QuantizedMatrix> with_scales(View<const float> x, const formats::Format& element, Granularity granularity,
                                       ScaleStorage storage, std::span<const double> exact) {
  auto scales = stored_scales(exact, storage);
  if (!scales) return tl::unexpected(scales.error());
  QuantizedMatrix result;
  result.codes = Matrix<std::int8_t>(x.rows, x.cols);
  result.granularity = granularity;
  result.scales = std::move(*scales);
  result.element = &element;
  result.scale_format = storage == ScaleStorage::fp16 ? &formats::kFp16 : nullptr;
  return result;
}

// codes(row, col) = code_of(x, block) for all elements, rows in parallel.
template <class CodeOf>
void fill_codes(View<const float> x, QuantizedMatrix& result, const CodeOf& code_of) {
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      result.codes(row, col) = static_cast<std::int8_t>(code_of(x(row, col), result.block_at(row, col)));
    }
  }
}

void fill_symmetric_codes(View<const float> x, QuantizedMatrix& result) {
  const auto limit = static_cast<float>(result.element->maximum);
  const float* scales = result.scales.data();
  fill_codes(x, result, [=](float value, std::size_t block) {
    return std::clamp(std::nearbyint(value / scales[block]), -limit, limit);
  });
}

OrRefusal<QuantizedMatrix> symmetric_from_exact(View<const float> x, const formats::Format& element,
                                                Granularity granularity, ScaleStorage storage,
                                                std::span<const double> exact) {
  auto result = with_scales(x, element, granularity, storage, exact);
  if (result) fill_symmetric_codes(x, *result);
  return result;
}

}  // namespace

float stored_scale(double exact, ScaleStorage storage) {
  if (storage == ScaleStorage::fp32) return std::max(static_cast<float>(exact), std::numeric_limits<float>::min());
  const auto code = formats::encode(formats::kFp16, exact, formats::Rounding::nearest_even,
                                    formats::Overflow::no_saturate);
  return std::max(formats::decode(formats::kFp16, *code), 0x1p-14f);
}

OrRefusal<QuantizedMatrix> symmetric_integer(View<const float> x, const formats::Format& element,
                                             Granularity granularity, ScaleStorage storage) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  std::vector<float> maxima;
  for (const BlockRange& range : block_ranges(x, granularity)) maxima.push_back(std::max(-range.low, range.high));
  return symmetric_integer_with_ranges(x, element, granularity, storage, maxima);
}

OrRefusal<QuantizedMatrix> symmetric_integer_with_ranges(View<const float> x, const formats::Format& element,
                                                         Granularity granularity, ScaleStorage storage,
                                                         std::span<const float> ranges) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  // An FP32 number over a small integer is a tie of FP32 or FP16 only if exactly so: both have at most 24 bits, and
  // a double quotient cannot land on a tie by rounding. So the double division does not round the scale twice.
  std::vector<double> exact;
  for (const float range : ranges) exact.push_back(static_cast<double>(range) / element.maximum);
  return symmetric_from_exact(x, element, granularity, storage, exact);
}

OrRefusal<QuantizedMatrix> asymmetric_integer(View<const float> x, const formats::Format& element,
                                              Granularity granularity, ScaleStorage storage) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  const std::vector<BlockRange> ranges = block_ranges(x, granularity);
  std::vector<double> exact;
  for (const BlockRange& range : ranges) {
    const float span = range.high - range.low;
    if (!std::isfinite(span)) {
      return tl::unexpected(Refusal{fmt::format("the range [{}, {}] of a block overflows FP32", range.low, range.high)});
    }
    exact.push_back(static_cast<double>(span) / element.maximum);
  }
  auto result = with_scales(x, element, granularity, storage, exact);
  if (!result) return result;
  const auto top = static_cast<float>(element.maximum);
  result->code_offset = element.bits == 8 ? 128 : 0;
  for (std::size_t block = 0; block < ranges.size(); ++block) {
    const float zero_point = std::clamp(std::nearbyint(-ranges[block].low / result->scales[block]), 0.0f, top);
    result->zero_points.push_back(static_cast<std::int32_t>(zero_point) - result->code_offset);
  }
  const auto low = static_cast<float>(-result->code_offset);
  fill_codes(x, *result, [&, low, top](float value, std::size_t block) {
    const float code = std::nearbyint(value / result->scales[block]) + static_cast<float>(result->zero_points[block]);
    return std::clamp(code, low, low + top);
  });
  return result;
}

OrRefusal<QuantizedMatrix> ternary(View<const float> x, Granularity granularity, ScaleStorage storage) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  return symmetric_from_exact(x, formats::kTernary, granularity, storage, block_mean_magnitudes(x, granularity));
}

OrRefusal<QuantizedMatrix> binary(View<const float> x, Granularity granularity, ScaleStorage storage) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  auto result = with_scales(x, formats::kBinary, granularity, storage, block_mean_magnitudes(x, granularity));
  if (result) fill_codes(x, *result, [](float value, std::size_t) { return value < 0 ? -1 : 1; });
  return result;
}

}  // namespace narrowgate::quantize
