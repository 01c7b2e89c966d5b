#include "kernels/quantize/mx.h"

#include <algorithm>
#include <bit>

#include "kernels/formats/records/e8m0.h"

namespace narrowgate::quantize {
namespace {

constexpr int kMantissaMask = 0x7FFFFF;
constexpr int kHalfOfSmallestNormal = 0x400000;  // 2⁻¹²⁷, in bits

// A rule for one element format, as whole numbers to be used on the bits of amax.
struct BitRule {
  int added;             // to the bits of amax, before anything else
  int highest_mantissa;  // above it the exponent rises by one
  int maximum_exponent;  // of the element: "emax"
};

BitRule bit_rule(const formats::Format& element, MxRule rule) {
  const int mantissa_bits = element.is_floating() ? element.mantissa_bits : element.fraction_bits;
  const float maximum = formats::maximum(element);
  BitRule result{0, kMantissaMask, formats::floor_log2(maximum)};
  if (rule == MxRule::even) result.added = 1 << (22 - mantissa_bits);
  if (rule == MxRule::ceil) result.highest_mantissa = 0;
  // amax < 2^(e+1) always fits one power above the floor, so comparing mantissas decides.
  if (rule == MxRule::rceil) result.highest_mantissa = std::bit_cast<int>(maximum) & kMantissaMask;
  return result;
}

// Without branches, so that it vectorizes. Subnormals from 2⁻¹²⁷ up are normalized by hand; whatever is below, zero
// included, comes out at or below −127 and is clamped.
int exponent_by(float amax, const BitRule& rule) {
  const int bits = std::bit_cast<int>(amax) + rule.added;
  const int field = bits >> 23;
  const int subnormal_mantissa = 2 * std::max(bits - kHalfOfSmallestNormal, 0);
  const int mantissa = field == 0 ? subnormal_mantissa : bits & kMantissaMask;
  const int exponent = field - 127 - rule.maximum_exponent + (mantissa > rule.highest_mantissa ? 1 : 0);
  return std::clamp(exponent, -127, 127);
}

}  // namespace

int mx_exponent(float amax, const formats::Format& element, MxRule rule) {
  return exponent_by(amax, bit_rule(element, rule));
}

ScaleRule mx_scale_rule(const formats::Format& element, MxRule rule) {
  return [bits = bit_rule(element, rule)](std::span<float> maxima_to_scales) {
    for (float& value : maxima_to_scales) {
      const int exponent = exponent_by(value, bits);
      value = std::bit_cast<float>(exponent == -127 ? kHalfOfSmallestNormal : (exponent + 127) << 23);
    }
  };
}

OrRefusal<QuantizedMatrix> mx(View<const float> x, const formats::Format& element, MxRule rule, BlockAxis axis) {
  auto result = quantize_blocks(x, {element, along(axis, kMxBlock), mx_scale_rule(element, rule)});
  if (result) result->scale_format = &formats::kE8m0;
  return result;
}

}  // namespace narrowgate::quantize
