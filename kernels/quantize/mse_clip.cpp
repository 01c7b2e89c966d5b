#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quantize/block_statistics.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/weight_quantizers.h"

namespace narrowgate::quantize {
namespace {

double group_error(View<const float> group, float scale, double limit) {
  double sum = 0;
  for (std::int64_t row = 0; row < group.rows; ++row) {
    // The code as the quantizer computes it: an FP32 quotient, rounded.
    const double code = std::clamp<double>(std::nearbyint(group(row, 0) / scale), -limit, limit);
    const double difference = group(row, 0) - scale * code;
    sum += difference * difference;
  }
  return sum;
}

// The range of least error for one group, a single column.
float best_range(View<const float> group, float maximum, double limit) {
  float best = maximum;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 64; i >= 16; --i) {
    const float range = maximum * (static_cast<float>(i) / 64.0f);
    const float scale = stored_scale(range / limit, ScaleStorage::fp16);
    const double error = group_error(group, scale, limit);
    if (error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

}  // namespace

OrRefusal<QuantizedMatrix> mse_clipped_integer(View<const float> b, const formats::Format& element, std::int64_t group) {
  if (auto finite = refuse_non_finite(b); !finite) return tl::unexpected(finite.error());
  const Granularity granularity{group, 1};
  const std::vector<BlockRange> blocks = block_ranges(b, granularity);
  std::vector<float> ranges(blocks.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < b.rows; first += group) {
    for (std::int64_t col = 0; col < b.cols; ++col) {
      const View<const float> column = {&b(first, col), std::min(group, b.rows - first), 1, b.ld};
      const auto block = static_cast<std::size_t>(granularity.index(first, col, b.cols));
      ranges[block] = best_range(column, std::max(-blocks[block].low, blocks[block].high), element.maximum);
    }
  }
  return symmetric_integer_with_ranges(b, element, granularity, ScaleStorage::fp16, ranges);
}

}  // namespace narrowgate::quantize
