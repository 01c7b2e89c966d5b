#include "kernels/quantize/block_statistics.h"

#include <algorithm>
#include <cmath>

namespace narrowgate::quantize {
namespace {

std::size_t block_count(View<const float> x, Granularity granularity) {
  return static_cast<std::size_t>(granularity.block_rows(x.rows) * granularity.block_cols(x.cols));
}

// visit(block, first element, count) for each run of a row that lies in one block, rows ascending.
template <class Visit>
void for_each_run(View<const float> x, Granularity granularity, const Visit& visit) {
  const std::int64_t width = granularity.cols == 0 ? x.cols : granularity.cols;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    auto block = static_cast<std::size_t>(granularity.index(row, 0, x.cols));
    for (std::int64_t col = 0; col < x.cols; col += width) {
      visit(block++, x.row(row) + col, std::min(width, x.cols - col));
    }
  }
}

}  // namespace

std::vector<BlockRange> block_ranges(View<const float> x, Granularity granularity) {
  std::vector<BlockRange> ranges(block_count(x, granularity));
  for_each_run(x, granularity, [&](std::size_t block, const float* run, std::int64_t count) {
    BlockRange range = ranges[block];
    for (std::int64_t i = 0; i < count; ++i) {
      range.low = std::min(range.low, run[i]);
      range.high = std::max(range.high, run[i]);
    }
    ranges[block] = range;
  });
  return ranges;
}

std::vector<double> block_mean_magnitudes(View<const float> x, Granularity granularity) {
  std::vector<double> sums(block_count(x, granularity));
  std::vector<std::int64_t> counts(sums.size());
  for_each_run(x, granularity, [&](std::size_t block, const float* run, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sums[block] += std::fabs(run[i]);
    counts[block] += count;
  });
  for (std::size_t block = 0; block < sums.size(); ++block) sums[block] /= static_cast<double>(counts[block]);
  return sums;
}

}  // namespace narrowgate::quantize
