#include "kernels/quantize/mx.h"

#include <algorithm>
#include <bit>

#include "kernels/formats/records/e8m0.h"

namespace narrowgate::quantize {
namespace {

// ⌊log₂ x⌋ for a float x > 0, subnormals included: in double they are normal.
int float_exponent(float x) { return formats::floor_log2(x); }

// Explicit mantissa bits of an element; the fraction bits where it is an integer.
int mantissa_bits(const formats::Format& element) {
  return element.is_floating() ? element.mantissa_bits : element.fraction_bits;
}

// ⌊log₂⌋ after adding 2^(22 − m) to the bits of amax; the carry out of the last binade leaves FP32.
int even_exponent(float amax, const formats::Format& element) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(amax) + (1u << (22 - mantissa_bits(element)));
  constexpr std::uint32_t kInfinity = 0x7F800000;
  return bits >= kInfinity ? 128 : float_exponent(std::bit_cast<float>(bits));
}

}  // namespace

int mx_exponent(float amax, const formats::Format& element, MxRule rule) {
  if (amax == 0) return -127;
  const int maximum_exponent = formats::maximum_exponent(element);
  int exponent = float_exponent(amax);
  if (rule == MxRule::ceil && static_cast<double>(amax) != formats::power_of_two(exponent)) exponent += 1;
  if (rule == MxRule::even) exponent = even_exponent(amax, element);
  exponent -= maximum_exponent;
  // amax < 2^(e+1) always fits one power above the floor, so one comparison decides.
  if (rule == MxRule::rceil && amax > formats::power_of_two(exponent) * formats::maximum(element)) exponent += 1;
  return std::clamp(exponent, -127, 127);
}

ScaleRule mx_scale_rule(const formats::Format& element, MxRule rule) {
  return [&element, rule](std::span<float> maxima_to_scales) {
    for (float& value : maxima_to_scales) {
      value = static_cast<float>(formats::power_of_two(mx_exponent(value, element, rule)));
    }
  };
}

OrRefusal<QuantizedMatrix> mx(View<const float> x, const formats::Format& element, MxRule rule, BlockAxis axis) {
  auto result = quantize_blocks(x, {element, along(axis, kMxBlock), mx_scale_rule(element, rule)});
  if (result) result->scale_format = &formats::kE8m0;
  return result;
}

}  // namespace narrowgate::quantize
