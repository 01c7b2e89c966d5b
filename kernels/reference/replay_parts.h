// The little that the replays share with each other, and with nothing else: rounding, blocks, scales, codes.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/formats/records/fp16.h"
#include "kernels/parallel.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::reference {

// FP32's smallest normal number, the floor of a scale.
inline constexpr float kSmallestNormal = 0x1p-126f;

// The nearest integer, of two as near the even one. Written out: what is checked here rounds with nearbyint.
inline double nearest_even(double x) {
  const double magnitude = std::fabs(x);
  const double whole = std::floor(magnitude);
  const double rest = magnitude - whole;  // exact
  const bool goes_up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) == 1.0);
  return std::copysign(goes_up ? whole + 1 : whole, x);
}

// x within [low, high]; `low` for NaN, so that a cast to an integer is always defined.
inline double clamped(double x, double low, double high) { return x > low ? (x < high ? x : high) : low; }

inline float at_least(float scale, float floor) { return scale < floor ? floor : scale; }

// The nearest FP16 number, or an infinity.
inline float nearest_fp16(double x) {
  return formats::decode(formats::kFp16, *formats::encode(formats::kFp16, x, formats::Rounding::nearest_even,
                                                          formats::Overflow::no_saturate));
}

// A scale from its exact value, rounded once to its storage type and not below that type's smallest normal number.
inline float stored(double exact, quantize::ScaleStorage storage) {
  return storage == quantize::ScaleStorage::fp16 ? at_least(nearest_fp16(exact), 0x1p-14f)
                                                 : at_least(static_cast<float>(exact), kSmallestNormal);
}

// range / divisor as a scale. No FP32 number over a small integer lies so near a tie of FP16 that its double quotient
// would hide on which side; for FP32 itself the division rounds.
inline float quotient_scale(float range, int divisor, quantize::ScaleStorage storage) {
  return storage == quantize::ScaleStorage::fp16 ? stored(static_cast<double>(range) / divisor, storage)
                                                 : at_least(range / static_cast<float>(divisor), kSmallestNormal);
}

// All fields but scales, zero points and codes, which are still zero.
QuantizedMatrix blank(View<const float> x, Granularity granularity, const formats::Format* element,
                      const formats::Format* scale_format);
const formats::Format* format_of(quantize::ScaleStorage storage);

// visit(element, block) in ascending row-major order.
template <class Visit>
void for_each_element(View<const float> x, Granularity granularity, const Visit& visit) {
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      visit(x(row, col), static_cast<std::size_t>(granularity.index(row, col, x.cols)));
    }
  }
}

// min(x, 0) and max(x, 0) over a block.
struct Extent {
  float low = 0.0f;
  float high = 0.0f;
  float magnitude() const { return std::fmax(-low, high); }
};

std::vector<Extent> extents(View<const float> x, Granularity granularity);

// codes(row, col) = code_of(element, block).
template <class CodeOf>
void write_codes(View<const float> x, QuantizedMatrix& q, const CodeOf& code_of) {
  parallel_for(x.rows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      q.codes(row, col) = static_cast<std::int8_t>(code_of(x(row, col), q.block_at(row, col)));
    }
  });
}

// The elements of one block in ascending row-major order, which along one row or column is ascending k.
std::vector<float> gathered(View<const float> x, Granularity granularity, std::int64_t block_row,
                            std::int64_t block_col);

// visit(block, its elements gathered) for every block, in no order.
template <class Visit>
void for_each_block(View<const float> x, Granularity granularity, const Visit& visit) {
  const std::int64_t across = granularity.block_cols(x.cols);
  parallel_for(granularity.block_rows(x.rows) * across, [&](std::int64_t block) {
    visit(static_cast<std::size_t>(block), gathered(x, granularity, block / across, block % across));
  });
}

}  // namespace narrowgate::reference
