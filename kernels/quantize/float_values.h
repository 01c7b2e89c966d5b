// Operands that stay floating-point numbers, unscaled: FP32 as it is, or rounded to FP16.
#pragma once

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::quantize {

// Refused, by both: an element that is not finite; for FP16 also one beyond ±65504.
OrRefusal<QuantizedMatrix> fp32_values(View<const float> x);
OrRefusal<QuantizedMatrix> fp16_values(View<const float> x);

}  // namespace narrowgate::quantize
