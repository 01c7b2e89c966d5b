// Integers: min–max, given ranges, means.
#include <algorithm>

#include "kernels/formats/records/binary.h"
#include "kernels/formats/records/int8.h"
#include "kernels/formats/records/ternary.h"
#include "kernels/formats/records/uint8.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using quantize::ScaleStorage;

// q = clamp(rne(x / s), −limit, limit)
void write_symmetric_codes(View<const float> x, QuantizedMatrix& q, int limit) {
  write_codes(x, q, [&, limit](float value, std::size_t block) {
    return clamped(nearest_even(value / q.scales[block]), -limit, limit);
  });
}

// s = Σ|x| / count of each block, stored.
std::vector<float> mean_scales(View<const float> x, Granularity granularity, ScaleStorage storage) {
  const auto blocks = static_cast<std::size_t>(granularity.block_rows(x.rows) * granularity.block_cols(x.cols));
  std::vector<double> sums(blocks), counts(blocks);
  for_each_element(x, granularity, [&](float value, std::size_t block) {
    sums[block] += std::fabs(static_cast<double>(value));
    counts[block] += 1;
  });
  std::vector<float> scales;
  for (std::size_t block = 0; block < blocks; ++block) scales.push_back(stored(sums[block] / counts[block], storage));
  return scales;
}

}  // namespace

QuantizedMatrix replay_symmetric_integer_with_ranges(View<const float> x, const formats::Format& element,
                                                     Granularity granularity, ScaleStorage storage,
                                                     std::span<const float> ranges) {
  QuantizedMatrix q = blank(x, granularity, &element, format_of(storage));
  for (const float range : ranges) q.scales.push_back(quotient_scale(range, element.maximum, storage));
  write_symmetric_codes(x, q, element.maximum);
  return q;
}

QuantizedMatrix replay_symmetric_integer(View<const float> x, const formats::Format& element, Granularity granularity,
                                         ScaleStorage storage) {
  std::vector<float> maxima;
  for (const Extent& extent : extents(x, granularity)) maxima.push_back(extent.magnitude());
  return replay_symmetric_integer_with_ranges(x, element, granularity, storage, maxima);
}

QuantizedMatrix replay_asymmetric_integer(View<const float> x, const formats::Format& element, Granularity granularity,
                                          ScaleStorage storage) {
  QuantizedMatrix q = blank(x, granularity, &element, format_of(storage));
  q.code_offset = element.bits == 8 ? 128 : 0;
  const int top = element.maximum;
  std::vector<int> zero_points;  // in the domain of the reported codes
  for (const Extent& extent : extents(x, granularity)) {
    const float scale = quotient_scale(extent.high - extent.low, top, storage);
    zero_points.push_back(static_cast<int>(clamped(nearest_even(-extent.low / scale), 0, top)));
    q.scales.push_back(scale);
    q.zero_points.push_back(zero_points.back() - q.code_offset);
  }
  write_codes(x, q, [&, top](float value, std::size_t block) {
    return clamped(nearest_even(value / q.scales[block]) + zero_points[block], 0, top) - q.code_offset;
  });
  return q;
}

QuantizedMatrix replay_int8(View<const float> x, Granularity granularity, IntegerRange range) {
  QuantizedMatrix q = range == IntegerRange::kAsymmetric
                          ? replay_asymmetric_integer(x, formats::kUint8, granularity, ScaleStorage::fp32)
                          : replay_symmetric_integer(x, formats::kInt8, granularity, ScaleStorage::fp32);
  q.element = nullptr;  // integer.h leaves it open
  return q;
}

QuantizedMatrix replay_ternary(View<const float> x, Granularity granularity, ScaleStorage storage) {
  QuantizedMatrix q = blank(x, granularity, &formats::kTernary, format_of(storage));
  q.scales = mean_scales(x, granularity, storage);
  write_symmetric_codes(x, q, 1);
  return q;
}

QuantizedMatrix replay_binary(View<const float> x, Granularity granularity, ScaleStorage storage) {
  QuantizedMatrix q = blank(x, granularity, &formats::kBinary, format_of(storage));
  q.scales = mean_scales(x, granularity, storage);
  write_codes(x, q, [](float value, std::size_t) { return value < 0 ? -1 : 1; });
  return q;
}

}  // namespace narrowgate::reference
