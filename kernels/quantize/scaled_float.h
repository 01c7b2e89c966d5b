// Floating codes with FP32 scales: s = max(RNE(max|x| / element's maximum), 2⁻¹²⁶), q = element(fl(x / s)).
#pragma once

#include "kernels/quantize/block_scaling.h"

namespace narrowgate::quantize {

ScaleRule fp32_scale_rule(const formats::Format& element);

// FP8 per tensor, column, row, group of 32 or 128, 128×128: whatever the granularity says.
// Refused: an element that is not finite.
OrRefusal<QuantizedMatrix> scaled_float(View<const float> x, const formats::Format& element, Granularity granularity);

}  // namespace narrowgate::quantize
