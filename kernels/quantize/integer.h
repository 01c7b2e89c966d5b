// Integer quantization with min–max range: symmetric and asymmetric, any granularity.
//
//   symmetric    s = max(RNE(max|x| / 127), 2⁻¹²⁶)              q = clamp(rne(x / s), −127, 127)
//   asymmetric   lo = min(x, 0), hi = max(x, 0) over the block   s = max(RNE(RNE(hi − lo) / 255), 2⁻¹²⁶)
//                z = clamp(rne(−lo / s), 0, 255)                 q = clamp(rne(x / s) + z, 0, 255)
//
// Each division, subtraction and rounding is one FP32 operation, ties to even. −128 is never produced by the
// symmetric form. The asymmetric codes are stored as q − 128 with z − 128, so one signed kernel serves both.
#pragma once

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::quantize {

// Refused: an element that is NaN or infinite (the reason names its row and column), and for the asymmetric form
// a block whose hi − lo overflows FP32.
OrRefusal<QuantizedMatrix> symmetric_int8(View<const float> x, Granularity granularity);
OrRefusal<QuantizedMatrix> asymmetric_int8(View<const float> x, Granularity granularity);

// First element that is not finite, as a refusal; nothing when all are finite.
OrRefusal<void> refuse_non_finite(View<const float> x);

}  // namespace narrowgate::quantize
