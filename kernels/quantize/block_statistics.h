// Statistics of the blocks of a matrix, one entry a block in the order of Granularity::index.
#pragma once

#include <vector>

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::quantize {

struct BlockRange {
  float low = 0.0f;   // min(x, 0)
  float high = 0.0f;  // max(x, 0)
};

std::vector<BlockRange> block_ranges(View<const float> x, Granularity granularity);

// Σ|x| / count: a double sum in ascending row-major order within each block, divided once.
std::vector<double> block_mean_magnitudes(View<const float> x, Granularity granularity);

}  // namespace narrowgate::quantize
