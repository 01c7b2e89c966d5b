// MX: the four rules in real numbers, which doubles hold exactly, where the quantizer works on bits.
#include <algorithm>
#include <limits>

#include "kernels/formats/records/e8m0.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using formats::Format;
using quantize::MxRule;

Granularity blocks_of_32(quantize::BlockAxis axis) {
  return axis == quantize::BlockAxis::rows ? Granularity{32, 1} : Granularity{1, 32};
}

double largest_number(const Format& element) {
  return element.is_floating() ? formats::decode(element, element.maximum_code())
                               : std::ldexp(element.maximum, -element.fraction_bits);
}

// Half of the distance between numbers of the element's precision in the binade of amax, all subnormal FP32 numbers
// counting as of the lowest.
double half_step(double amax, const Format& element) {
  const int mantissa_bits = element.is_floating() ? element.mantissa_bits : element.fraction_bits;
  return std::ldexp(1.0, std::max(std::ilogb(amax), -126) - mantissa_bits - 1);
}

// The smallest j ≥ −127 with amax ≤ 2ʲ · maximum. One binade below that of amax nothing holds it.
int smallest_exponent_that_holds(double amax, double maximum) {
  int exponent = std::max(std::ilogb(amax) - std::ilogb(maximum) - 1, -127);
  while (std::ldexp(maximum, exponent) < amax) ++exponent;
  return exponent;
}

// log₂ X
int scale_exponent(double amax, const Format& element, MxRule rule) {
  if (amax == 0) return -127;
  const double maximum = largest_number(element);
  const int floor = std::ilogb(amax);
  int exponent = 0;
  switch (rule) {
    case MxRule::floor: exponent = floor - std::ilogb(maximum); break;
    case MxRule::ceil: exponent = floor + (amax > std::ldexp(1.0, floor) ? 1 : 0) - std::ilogb(maximum); break;
    case MxRule::rceil: exponent = smallest_exponent_that_holds(amax, maximum); break;
    case MxRule::even: exponent = std::ilogb(amax + half_step(amax, element)) - std::ilogb(maximum); break;
  }
  return std::clamp(exponent, -127, 127);
}

float power(int exponent) { return std::ldexp(1.0f, exponent); }

// The code of a value already divided by X; integers round and saturate by the rule written here.
int code_of(const Format& element, float x) {
  if (element.is_floating()) return static_cast<int>(*formats::encode(element, x));
  return static_cast<int>(clamped(nearest_even(std::ldexp(static_cast<double>(x), element.fraction_bits)),
                                  -element.maximum, element.maximum));
}

double value_of(const Format& element, int code) {
  return element.is_floating() ? formats::decode(element, static_cast<std::uint32_t>(code))
                               : std::ldexp(code, -element.fraction_bits);
}

void write_element_codes(View<const float> x, QuantizedMatrix& q) {
  write_codes(x, q, [&](float value, std::size_t block) { return code_of(*q.element, value / q.scales[block]); });
}

double squared_error(const std::vector<float>& block, const Format& element, float scale) {
  double sum = 0;
  for (const float value : block) {
    const double difference = value - scale * value_of(element, code_of(element, value / scale));
    sum += difference * difference;
  }
  return sum;
}

// X of least squared error, the first of equals. As i falls X does not rise, so candidates with one X are neighbours.
float least_squares_scale(const std::vector<float>& block, const Format& element) {
  float amax = 0.0f;
  for (const float value : block) amax = std::fmax(amax, std::fabs(value));
  float best = 0.0f;
  double least = std::numeric_limits<double>::infinity();
  int judged = std::numeric_limits<int>::max();
  for (int i = 64; i >= 16; --i) {
    const int exponent = scale_exponent(amax * (static_cast<float>(i) / 64), element, MxRule::rceil);
    if (exponent == judged) continue;
    judged = exponent;
    const double error = squared_error(block, element, power(exponent));
    if (error < least) {
      least = error;
      best = power(exponent);
    }
  }
  return best;
}

}  // namespace

QuantizedMatrix replay_mx(View<const float> x, const Format& element, MxRule rule, quantize::BlockAxis axis) {
  QuantizedMatrix q = blank(x, blocks_of_32(axis), &element, &formats::kE8m0);
  for (const Extent& extent : extents(x, q.granularity)) {
    q.scales.push_back(power(scale_exponent(extent.magnitude(), element, rule)));
  }
  write_element_codes(x, q);
  return q;
}

QuantizedMatrix replay_mx_mse(View<const float> x, const Format& element, quantize::BlockAxis axis) {
  QuantizedMatrix q = blank(x, blocks_of_32(axis), &element, &formats::kE8m0);
  q.scales.resize(extents(x, q.granularity).size());
  for_each_block(x, q.granularity, [&](std::size_t block, const std::vector<float>& elements) {
    q.scales[block] = least_squares_scale(elements, element);
  });
  write_element_codes(x, q);
  return q;
}

}  // namespace narrowgate::reference
