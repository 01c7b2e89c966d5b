// Microscaling formats (OCP MX 1.0): blocks of 32 along k with a power-of-two scale X stored as E8M0.
//
// The rules differ in how X follows from amax = max|x| of the block; emax is the exponent of the element's largest
// number. All take exponents from bits, none takes a logarithm.
#pragma once

#include "kernels/quantize/block_scaling.h"

namespace narrowgate::quantize {

inline constexpr std::int64_t kMxBlock = 32;

enum class MxRule {
  floor,  // 2^(⌊log₂ amax⌋ − emax), the specification's: values near the top of the block's binade saturate
  ceil,   // 2^(⌈log₂ amax⌉ − emax)
  rceil,  // the smallest power of two for which amax does not saturate
  even,   // floor, of amax with half a step of the element's mantissa m added: 2^(22 − m) to its bits, subnormal or not
};

// log₂ X, within [−127, 127]; −127 for amax = 0. `amax` is finite and not negative.
int mx_exponent(float amax, const formats::Format& element, MxRule rule);

// A rule for quantize_blocks.
ScaleRule mx_scale_rule(const formats::Format& element, MxRule rule);

using narrowgate::BlockAxis;
constexpr Granularity along(BlockAxis axis, std::int64_t length) {
  return axis == BlockAxis::rows ? Granularity{length, 1} : Granularity{1, length};
}

// `element` is one of E4M3, E5M2, E2M3, E3M2, E2M1 and MXINT8. Refused: an element that is not finite.
OrRefusal<QuantizedMatrix> mx(View<const float> x, const formats::Format& element, MxRule rule, BlockAxis axis);

}  // namespace narrowgate::quantize
