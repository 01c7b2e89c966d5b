// Ranges chosen by looking at the data: percentiles and least squares.
#include <bit>
#include <limits>

#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using quantize::ScaleStorage;

std::uint32_t magnitude_bits(float x) { return std::bit_cast<std::uint32_t>(std::fabs(x)); }

// Σ(x − x̂)² with x̂ = s·clamp(rne(fl(x/s))), in ascending order.
double squared_error(std::span<const float> x, float scale, int limit) {
  double sum = 0;
  for (const float value : x) {
    const double difference = value - scale * clamped(nearest_even(value / scale), -limit, limit);
    sum += difference * difference;
  }
  return sum;
}

float least_squares_range(std::span<const float> x, const formats::Format& element, ScaleStorage storage) {
  float amax = 0.0f;
  for (const float value : x) amax = std::fmax(amax, std::fabs(value));
  float best = amax;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 64; i >= 16; --i) {
    const float range = amax * (static_cast<float>(i) / 64);
    const float scale = quotient_scale(range, element.maximum, storage);
    if (!std::isfinite(scale)) continue;
    const double error = squared_error(x, scale, element.maximum);
    if (error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

}  // namespace

// Nearest rank without sorting: the smallest magnitude that at least ⌈p·n⌉ elements do not exceed. Magnitudes are
// ordered like their bits, which are found from the top one down.
float replay_percentile_range(std::span<const float> x, double p) {
  const auto count = static_cast<double>(x.size());
  const double rank = clamped(std::ceil(p * count), 1.0, count);
  std::uint32_t found = 0;
  for (std::uint32_t bit = 1u << 30; bit != 0; bit >>= 1) {
    std::size_t below = 0;
    for (const float value : x) below += magnitude_bits(value) < (found | bit) ? 1 : 0;
    if (static_cast<double>(below) < rank) found |= bit;
  }
  return std::bit_cast<float>(found);
}

float replay_least_squares_range(std::span<const float> x, const formats::Format& element) {
  return least_squares_range(x, element, ScaleStorage::fp32);
}

QuantizedMatrix replay_mse_clipped_integer(View<const float> b, const formats::Format& element, std::int64_t group) {
  const Granularity granularity{group, 1};
  std::vector<float> ranges(static_cast<std::size_t>(granularity.block_rows(b.rows) * b.cols));
  for_each_block(b, granularity, [&](std::size_t block, const std::vector<float>& elements) {
    ranges[block] = least_squares_range(elements, element, ScaleStorage::fp16);
  });
  return replay_symmetric_integer_with_ranges(b, element, granularity, ScaleStorage::fp16, ranges);
}

}  // namespace narrowgate::reference
