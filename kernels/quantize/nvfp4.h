// NVFP4: E2M1 codes, an E4M3 scale for each block of 16 along k, and one FP32 scale for the tensor.
//
//   s_T = max(amax_T / 2688, 2⁻¹²⁶)                       2688 = 448 · 6
//   s_b = E4M3(fl(fl(amax_b / 6) / s_T)), at least 2⁻⁹     at most 448, by saturation
//   q   = E2M1(fl(x / fl(s_b · s_T)))                     x̂ = q · s_b · s_T
//
// fl(s_b · s_T) cannot overflow: it is at most 2¹²⁸ · 448 / 2688. Kernels use q · s_b and multiply by s_T at the end.
#pragma once

#include "kernels/quantize/mx.h"

namespace narrowgate::quantize {

inline constexpr std::int64_t kNvfp4Block = 16;

float nvfp4_tensor_scale(float amax);

// A rule for quantize_blocks, which must be given the same tensor scale.
ScaleRule nvfp4_scale_rule(float tensor_scale);

// Refused: an element that is not finite.
OrRefusal<QuantizedMatrix> nvfp4(View<const float> x, BlockAxis axis);

}  // namespace narrowgate::quantize
