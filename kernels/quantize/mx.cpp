#include "kernels/quantize/mx.h"

#include <algorithm>
#include <bit>

#include "kernels/formats/records/e8m0.h"

namespace narrowgate::quantize {
namespace {

constexpr int kDoubleMantissaBits = 52;
constexpr std::uint64_t kDoubleMantissa = (1ull << kDoubleMantissaBits) - 1;

// What a rule needs to know of the element, worked out once.
struct ElementTop {
  int exponent;                // of the largest number: "emax"
  std::uint64_t mantissa;      // of the largest number, as a double's
  std::uint32_t half_step;     // half a step of the element's mantissa, in the bits of an FP32 number
};

ElementTop top_of(const formats::Format& element) {
  const int mantissa_bits = element.is_floating() ? element.mantissa_bits : element.fraction_bits;
  const double maximum = formats::maximum(element);
  return {formats::floor_log2(maximum), std::bit_cast<std::uint64_t>(maximum) & kDoubleMantissa,
          1u << (22 - mantissa_bits)};
}

// Exponent and mantissa come from amax as a double, where every FP32 subnormal is a normal number.
int exponent_by(float amax, const ElementTop& top, MxRule rule) {
  constexpr std::uint32_t kInfinity = 0x7F800000;
  if (amax == 0) return -127;
  if (rule == MxRule::even) {
    const std::uint32_t rounded = std::bit_cast<std::uint32_t>(amax) + top.half_step;
    const int exponent = rounded >= kInfinity ? 128 : formats::floor_log2(std::bit_cast<float>(rounded));
    return std::clamp(exponent - top.exponent, -127, 127);
  }
  const std::uint64_t mantissa = std::bit_cast<std::uint64_t>(static_cast<double>(amax)) & kDoubleMantissa;
  // amax < 2^(e+1) always fits one power above the floor, so one comparison decides.
  const bool is_above = (rule == MxRule::ceil && mantissa != 0) || (rule == MxRule::rceil && mantissa > top.mantissa);
  return std::clamp(formats::floor_log2(amax) - top.exponent + (is_above ? 1 : 0), -127, 127);
}

}  // namespace

int mx_exponent(float amax, const formats::Format& element, MxRule rule) {
  return exponent_by(amax, top_of(element), rule);
}

ScaleRule mx_scale_rule(const formats::Format& element, MxRule rule) {
  return [top = top_of(element), rule](std::span<float> maxima_to_scales) {
    for (float& value : maxima_to_scales) {
      value = static_cast<float>(formats::power_of_two(exponent_by(value, top, rule)));
    }
  };
}

OrRefusal<QuantizedMatrix> mx(View<const float> x, const formats::Format& element, MxRule rule, BlockAxis axis) {
  auto result = quantize_blocks(x, {element, along(axis, kMxBlock), mx_scale_rule(element, rule)});
  if (result) result->scale_format = &formats::kE8m0;
  return result;
}

}  // namespace narrowgate::quantize
