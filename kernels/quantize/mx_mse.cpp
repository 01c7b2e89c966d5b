#include "kernels/quantize/mx_mse.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/formats/records/e8m0.h"
#include "kernels/parallel.h"
#include "kernels/quantize/block_kernels.h"
#include "kernels/quantize/integer.h"

namespace narrowgate::quantize {
namespace {

constexpr int kFirstNumerator = 64;
constexpr int kLastNumerator = 16;
// c falls to a quarter of amax, so its power of two falls twice; a third time where c is subnormal and rounds down.
constexpr std::size_t kMostScales = 4;

// Elements of one block in ascending k, and their codes under some scale.
struct Block {
  std::array<float, kMxBlock> x;
  std::array<std::uint8_t, kMxBlock> codes;
  std::size_t count = 0;
};

// The distinct scales of a block, in the order in which they are judged.
struct Candidates {
  std::array<float, kMostScales> scales;
  std::size_t count = 0;
};

class LeastSquares {
 public:
  explicit LeastSquares(const formats::Format& element) : element_(element) {
    for (std::uint32_t code = 0; code < element.code_count(); ++code) values_[code] = formats::decode(element, code);
  }

  // Leaves the codes under the returned scale in the block.
  float choose(Block& block) const {
    const Candidates candidates = candidates_of(block);
    float best = candidates.scales[0];
    double least = std::numeric_limits<double>::infinity();
    std::array<std::uint8_t, kMxBlock> best_codes{};
    for (std::size_t i = 0; i < candidates.count; ++i) {
      encode_runs(element_, block.x.data(), block.count, block.count, &candidates.scales[i], block.codes.data());
      const double error = squared_error(block, candidates.scales[i]);
      if (error < least) {
        least = error;
        best = candidates.scales[i];
        best_codes = block.codes;
      }
    }
    block.codes = best_codes;
    return best;
  }

 private:
  Candidates candidates_of(const Block& block) const {
    float amax = 0.0f;
    update_run_maxima(block.x.data(), block.count, block.count, &amax);
    Candidates result;
    int last = 128;
    for (int i = kFirstNumerator; i >= kLastNumerator; --i) {
      const float range = amax * (static_cast<float>(i) / kFirstNumerator);
      const int exponent = mx_exponent(range, element_, MxRule::rceil);
      if (exponent == last) continue;
      last = exponent;
      result.scales[result.count++] = static_cast<float>(formats::power_of_two(exponent));
    }
    return result;
  }

  double squared_error(const Block& block, float scale) const {
    double sum = 0;
    for (std::size_t i = 0; i < block.count; ++i) {
      const double difference = block.x[i] - scale * values_[block.codes[i]];
      sum += difference * difference;
    }
    return sum;
  }

  const formats::Format& element_;
  // By code. Codes of fewer than eight bits come without bits above them.
  std::array<double, 256> values_{};
};

// Block (block_row, block_col) of x, quantized into its place in the result.
void quantize_block(View<const float> x, const LeastSquares& search, std::int64_t block_row, std::int64_t block_col,
                    QuantizedMatrix& result) {
  const Granularity& size = result.granularity;
  const std::int64_t first_row = block_row * size.rows;
  const std::int64_t first_col = block_col * size.cols;
  const bool is_down = size.rows > 1;
  const float* in = &x(first_row, first_col);
  std::int8_t* out = &result.codes(first_row, first_col);
  const std::int64_t stride_in = is_down ? x.ld : 1;
  const std::int64_t stride_out = is_down ? x.cols : 1;
  Block block;
  block.count = static_cast<std::size_t>(std::min(kMxBlock, is_down ? x.rows - first_row : x.cols - first_col));
  for (std::size_t i = 0; i < block.count; ++i) block.x[i] = in[static_cast<std::int64_t>(i) * stride_in];
  result.scales[result.block_at(first_row, first_col)] = search.choose(block);
  for (std::size_t i = 0; i < block.count; ++i) {
    out[static_cast<std::int64_t>(i) * stride_out] = static_cast<std::int8_t>(block.codes[i]);
  }
}

}  // namespace

OrRefusal<QuantizedMatrix> mx_mse(View<const float> x, const formats::Format& element, BlockAxis axis) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  QuantizedMatrix result;
  result.codes = Matrix<std::int8_t>(x.rows, x.cols);
  result.granularity = along(axis, kMxBlock);
  result.element = &element;
  result.scale_format = &formats::kE8m0;
  const std::int64_t down = result.granularity.block_rows(x.rows);
  const std::int64_t across = result.granularity.block_cols(x.cols);
  result.scales.resize(static_cast<std::size_t>(down * across));
  const LeastSquares search(element);
  parallel_for(down, [&](std::int64_t block_row) {
    for (std::int64_t block_col = 0; block_col < across; ++block_col) {
      quantize_block(x, search, block_row, block_col, result);
    }
  });
  return result;
}

}  // namespace narrowgate::quantize
