// Both operands of one case, quantized, and what else defines the scheme's answer.
#pragma once

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate {

struct Operands {
  QuantizedMatrix a;  // m×k
  QuantizedMatrix b;  // k×n
  // The original FP32 B after pruning, k×n: the data that `b` encodes. Empty where the scheme prunes nothing.
  Matrix<float> pruned_b;

  Shape shape() const { return {a.rows(), b.cols(), a.cols()}; }
};

// Rows of A picked by index, with their scales; B is copied as it stands.
// For replaying part of a large product: rows of C depend on their own row of A alone.
Operands select_rows(const Operands& operands, const std::vector<std::int64_t>& rows);

// Bits that one element costs in memory, scales and zero points included.
double bits_per_element(const QuantizedMatrix& matrix);

}  // namespace narrowgate
