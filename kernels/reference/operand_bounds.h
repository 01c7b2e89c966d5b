// h of bounds.h for one element, shared by the worst case and the statistical bound.
#pragma once

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::reference {

inline constexpr double kHalfSubnormal = 0x1p-150;  // half of FP32's smallest subnormal: one underflowing rounding

// Half the distance between neighbouring values of the element at (row, col), whose magnitude is given; more where the
// value lies beyond the range. 0 for operands that stay in FP32.
double quantization_step(const QuantizedMatrix& quantized, double magnitude, std::int64_t row, std::int64_t col);

// Half the distance between neighbours of a floating format where a number of this magnitude lies: what rounding to the
// nearest of them costs.
double half_step(const formats::Format& format, double magnitude);

}  // namespace narrowgate::reference
