// The quantizers replayed: one element at a time, from the definition, with none of the fast code shared.
// Gate Q compares codes, scales and zero points with these bit for bit.
#pragma once

#include <string>

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::reference {

enum class IntegerRange { kSymmetric, kAsymmetric };

// Scale, zero point and code of one element by the formulas in quantize/integer.h.
QuantizedMatrix replay_int8(View<const float> x, Granularity granularity, IntegerRange range);

// 2:4 pruning by the definition in quantize/prune24.h: the two largest of each four, found by sorting.
Matrix<float> replay_prune24(View<const float> b);

// Where two quantizations of one matrix first differ, in words; empty when they are equal to the bit.
std::string first_difference(const QuantizedMatrix& actual, const QuantizedMatrix& expected);

}  // namespace narrowgate::reference
