// What other quantizers do where this project's schemes do not: functions for the conformance table, which counts how
// often each choice changes a result. No scheme takes them as a parameter.
//
//   pinned here                            elsewhere
//   x / s, a true division                 x · fl(1/s)                       times_reciprocal
//   integer codes clamped                  the low bits of the integer       wrapped_code
//   floating overflow saturates            infinity or NaN                   formats::Overflow::no_saturate
//   a block of zeros: smallest scale       scale 1                           one_for_zero_block
//   a block with NaN or Inf: refused       scale NaN                         nan_for_non_finite_block
//                                          NaN and Inf pass through          largest_finite_magnitude, propagated_code
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "kernels/formats/scalar.h"

namespace narrowgate::quantize {

// Rounds twice where a division rounds once.
inline float times_reciprocal(float x, float divisor) { return x * (1.0f / divisor); }

// x rounded to nearest even, modulo 2^bits. Nothing for NaN and infinities, which have no low bits.
inline std::optional<std::uint32_t> wrapped_code(const formats::Format& integer, float x) {
  if (!std::isfinite(x)) return std::nullopt;
  const double rounded = std::nearbyint(x * formats::power_of_two(integer.fraction_bits));
  const auto remainder = static_cast<std::int64_t>(std::fmod(rounded, integer.code_count()));
  return static_cast<std::uint32_t>(remainder) & integer.code_mask();
}

// `rule` is the pinned function from a finite max|x| to a decode scale; it is not asked outside its domain.
template <class Rule>
float one_for_zero_block(float amax, const Rule& rule) {
  return amax == 0.0f ? 1.0f : rule(amax);
}

template <class Rule>
float nan_for_non_finite_block(float amax, const Rule& rule) {
  return std::isfinite(amax) ? rule(amax) : std::numeric_limits<float>::quiet_NaN();
}

// max|x| over the finite elements; 0 when there is none.
inline float largest_finite_magnitude(std::span<const float> block) {
  float largest = 0.0f;
  for (const float x : block) {
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

// Finite elements as pinned; the others by the element format's own infinity and NaN. Nothing for a NaN without code.
inline std::optional<std::uint32_t> propagated_code(const formats::Format& element, float x, float scale) {
  if (std::isfinite(x)) return formats::encode(element, x / scale);
  return formats::encode(element, x, formats::Rounding::nearest_even, formats::Overflow::no_saturate);
}

}  // namespace narrowgate::quantize
