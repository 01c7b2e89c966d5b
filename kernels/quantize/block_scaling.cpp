#include "kernels/quantize/block_scaling.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "kernels/formats/records/e4m3.h"
#include "kernels/quantize/block_kernels.h"
#include "kernels/quantize/integer.h"

namespace narrowgate::quantize {
namespace {

// Elements of a tile: small enough that the second pass over it finds it in the second-level cache.
constexpr std::int64_t kTileElements = 1 << 15;

// A rectangle of whole blocks, as far as columns go. With blocks that span all rows it holds only parts of them.
struct Tile {
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t first_col;
  std::int64_t cols;
};

class Tiling {
 public:
  Tiling(View<const float> x, Granularity granularity) : x_(x), granularity_(granularity) {
    const std::int64_t run = run_length();
    const std::int64_t wanted = std::max(kTileElements / band_rows(), run);
    tile_cols_ = std::max<std::int64_t>(wanted / run * run, 1);
  }

  // Rows of a tile: those of a block, or a few when the blocks span all rows.
  std::int64_t band_rows() const { return granularity_.rows == 0 ? 16 : granularity_.rows; }
  std::int64_t bands() const { return (x_.rows + band_rows() - 1) / band_rows(); }
  std::int64_t tiles_across() const { return (x_.cols + tile_cols_ - 1) / tile_cols_; }
  // Elements along a row that share a scale.
  std::int64_t run_length() const { return granularity_.cols == 0 ? std::max<std::int64_t>(x_.cols, 1) : granularity_.cols; }
  Tile tile(std::int64_t band, std::int64_t across) const {
    const std::int64_t row = band * band_rows();
    const std::int64_t col = across * tile_cols_;
    return {row, std::min(band_rows(), x_.rows - row), col, std::min(tile_cols_, x_.cols - col)};
  }
  std::size_t blocks_across(const Tile& tile) const {
    return static_cast<std::size_t>((tile.cols + run_length() - 1) / run_length());
  }
  std::size_t first_block(const Tile& tile) const {
    return static_cast<std::size_t>(granularity_.index(tile.first_row, tile.first_col, x_.cols));
  }

 private:
  View<const float> x_;
  Granularity granularity_;
  std::int64_t tile_cols_ = 0;
};

// Raises maxima[i] to max|x| of the tile's i-th block across.
void update_maxima(View<const float> x, const Tile& tile, std::int64_t run, float* maxima) {
  for (std::int64_t row = tile.first_row; row < tile.first_row + tile.rows; ++row) {
    const float* in = x.row(row) + tile.first_col;
    const auto count = static_cast<std::size_t>(tile.cols);
    if (run == 1) {
      update_column_maxima(in, count, maxima);
    } else {
      update_run_maxima(in, count, static_cast<std::size_t>(run), maxima);
    }
  }
}

void encode_tile(const formats::Format& element, View<const float> x, const Tile& tile, std::int64_t run,
                 const float* divisors, std::uint8_t* codes) {
  for (std::int64_t row = tile.first_row; row < tile.first_row + tile.rows; ++row) {
    const float* in = x.row(row) + tile.first_col;
    std::uint8_t* out = codes + row * x.cols + tile.first_col;
    const auto count = static_cast<std::size_t>(tile.cols);
    if (run == 1) {
      encode_columns(element, in, count, divisors, out);
    } else {
      encode_runs(element, in, count, static_cast<std::size_t>(run), divisors, out);
    }
  }
}

bool all_finite(std::span<const float> maxima) {
  return std::all_of(maxima.begin(), maxima.end(), [](float value) { return value <= std::numeric_limits<float>::max(); });
}

// Scales of one set of blocks and what codes are divided by; false when an element was not finite.
bool finish_scales(const BlockScaling& scaling, std::span<float> scales, float* divisors) {
  if (!all_finite(scales)) return false;
  scaling.rule(scales);
  for (std::size_t i = 0; i < scales.size(); ++i) divisors[i] = scales[i] * scaling.tensor_scale;
  return true;
}

// Blocks of some rows: each tile is finished while it lies in the cache.
bool quantize_by_tile(View<const float> x, const BlockScaling& scaling, std::uint8_t* codes, std::span<float> scales) {
  const Tiling tiling(x, scaling.granularity);
  const std::int64_t run = tiling.run_length();
  std::atomic<bool> finite = true;
#pragma omp parallel
  {
    std::vector<float> divisors;
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t band = 0; band < tiling.bands(); ++band) {
      for (std::int64_t across = 0; across < tiling.tiles_across(); ++across) {
        const Tile tile = tiling.tile(band, across);
        const auto tile_scales = scales.subspan(tiling.first_block(tile), tiling.blocks_across(tile));
        divisors.resize(tile_scales.size());
        std::fill(tile_scales.begin(), tile_scales.end(), 0.0f);
        update_maxima(x, tile, run, tile_scales.data());
        if (finish_scales(scaling, tile_scales, divisors.data())) {
          encode_tile(scaling.element, x, tile, run, divisors.data(), codes);
        } else {
          finite = false;
        }
      }
    }
  }
  return finite;
}

// Maxima of blocks that span all rows. The maximum is exact, so the order in which threads merge does not matter.
void maxima_over_rows(View<const float> x, const Tiling& tiling, std::span<float> maxima) {
  std::fill(maxima.begin(), maxima.end(), 0.0f);
#pragma omp parallel
  {
    std::vector<float> mine(maxima.size(), 0.0f);
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t band = 0; band < tiling.bands(); ++band) {
      for (std::int64_t across = 0; across < tiling.tiles_across(); ++across) {
        const Tile tile = tiling.tile(band, across);
        update_maxima(x, tile, tiling.run_length(), mine.data() + tiling.first_block(tile));
      }
    }
#pragma omp critical
    update_column_maxima(mine.data(), mine.size(), maxima.data());
  }
}

bool quantize_in_two_passes(View<const float> x, const BlockScaling& scaling, std::uint8_t* codes,
                            std::span<float> scales) {
  const Tiling tiling(x, scaling.granularity);
  maxima_over_rows(x, tiling, scales);
  std::vector<float> divisors(scales.size());
  if (!finish_scales(scaling, scales, divisors.data())) return false;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t band = 0; band < tiling.bands(); ++band) {
    for (std::int64_t across = 0; across < tiling.tiles_across(); ++across) {
      const Tile tile = tiling.tile(band, across);
      encode_tile(scaling.element, x, tile, tiling.run_length(), divisors.data() + tiling.first_block(tile), codes);
    }
  }
  return true;
}

std::size_t block_count(View<const float> x, Granularity granularity) {
  return static_cast<std::size_t>(granularity.block_rows(x.rows) * granularity.block_cols(x.cols));
}

}  // namespace

OrRefusal<void> quantize_blocks_into(View<const float> x, const BlockScaling& scaling, std::uint8_t* codes,
                                     std::span<float> scales) {
  if (x.rows == 0 || x.cols == 0) return {};
  const bool finite = scaling.granularity.rows == 0 ? quantize_in_two_passes(x, scaling, codes, scales)
                                                    : quantize_by_tile(x, scaling, codes, scales);
  return finite ? OrRefusal<void>{} : refuse_non_finite(x);
}

OrRefusal<QuantizedMatrix> quantize_blocks(View<const float> x, const BlockScaling& scaling) {
  QuantizedMatrix result;
  result.codes = Matrix<std::int8_t>(x.rows, x.cols);
  result.granularity = scaling.granularity;
  result.scales.resize(block_count(x, scaling.granularity));
  result.element = &scaling.element;
  result.tensor_scale = scaling.tensor_scale;
  auto* codes = reinterpret_cast<std::uint8_t*>(result.codes.data());
  if (auto done = quantize_blocks_into(x, scaling, codes, result.scales); !done) return tl::unexpected(done.error());
  return result;
}

float maximum_magnitude(View<const float> x) {
  float maximum = 0.0f;
  if (x.rows > 0 && x.cols > 0) maxima_over_rows(x, Tiling(x, Granularity::tensor()), {&maximum, 1});
  return maximum;
}

Matrix<float> dequantize(const QuantizedMatrix& quantized) {
  Matrix<float> x(quantized.rows(), quantized.cols());
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t col = 0; col < x.cols(); ++col) x(row, col) = static_cast<float>(quantized.dequantized(row, col));
  }
  return x;
}

double bits_per_weight(const QuantizedMatrix& quantized) {
  if (quantized.is_float()) return quantized.element == nullptr ? 32 : quantized.element->bits;
  const double elements = static_cast<double>(quantized.codes.size());
  const double scale_bits = quantized.scale_format == nullptr ? 32 : quantized.scale_format->bits;
  const int element_bits = quantized.element == nullptr ? 8 : quantized.element->bits;
  const double zero_point_bits = static_cast<double>(quantized.zero_points.size()) * element_bits +
                                 static_cast<double>(quantized.fractional_zero_points.size()) * 16;
  const bool is_two_level = quantized.scale_format == &formats::kE4m3;
  return element_bits + (static_cast<double>(quantized.scales.size()) * scale_bits + zero_point_bits +
                         (is_two_level ? 32 : 0)) / elements;
}

}  // namespace narrowgate::quantize
