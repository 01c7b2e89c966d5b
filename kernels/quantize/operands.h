// Both operands of one case, quantized, and what else defines the scheme's answer.
#pragma once

#include "kernels/accumulation.h"
#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate {

// What a scheme does to the original matrices before it encodes them.
enum class Preparation {
  kNone,
  kPruned,   // elements of B set to zero: the product changes, and is judged against the pruned one
  kScaled,   // A divided and B multiplied by factors of the input channels: the same product, up to rounding
  kRotated,  // A and B rotated along k in blocks of kRotationBlock: the same product, up to rounding
  kSplit,    // outlier channels taken out and multiplied apart, in FP32: the same product
};

inline constexpr std::int64_t kRotationBlock = 32;

struct Operands {
  QuantizedMatrix a;  // m×k
  QuantizedMatrix b;  // k×n
  Preparation preparation = Preparation::kNone;
  // The FP32 data that `a` and `b` encode, where the preparation made it another than the original; else empty.
  Matrix<float> encoded_a, encoded_b;
  // kSplit: the outlier channels, in ascending k: m×o and o×n; empty when there are none.
  Matrix<float> outlier_a, outlier_b;
  bool is_compressed24 = false;  // kernels read B in 2:4 compressed form (quantize/compress24.h)

  Accumulation accumulation;
  std::vector<float> bias;  // n values, or empty
  OutputFormat output = OutputFormat::kFp32;

  Shape shape() const { return {a.rows(), b.cols(), a.cols()}; }
};

// Rows of A picked by index, with their scales; B is copied as it stands.
// For replaying part of a large product: rows of C depend on their own row of A alone.
Operands select_rows(const Operands& operands, const std::vector<std::int64_t>& rows);

constexpr bool scale_varies_along_k(Granularity granularity, BlockAxis axis) {
  return (axis == BlockAxis::rows ? granularity.rows : granularity.cols) != 0;
}

// The scales that multiply a finished sum: one, or one for each row of A or column of B. Scales that vary along k
// belong to the values or to the blocks of a sum; of them only a tensor scale is left for the end.
std::vector<float> epilogue_scales(const QuantizedMatrix& matrix, BlockAxis axis, Accumulation accumulation);

// What kernels multiply, in FP32, exact for all formats but HQQ's, whose definition rounds: codes decoded with the
// scales that vary along k, unless those belong to blocks of the sum.
Matrix<float> multiplied_values(const QuantizedMatrix& matrix, BlockAxis axis, Accumulation accumulation);

// Bits that one element of B costs in memory: codes, scales, zero points, and the places of 2:4 compressed storage.
double bits_per_weight(const Operands& operands);

}  // namespace narrowgate
