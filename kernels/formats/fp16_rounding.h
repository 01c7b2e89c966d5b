// FP32 to FP16 and back as one step, for host and device: what an FP16 store and load would do.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/host_device.h"

namespace narrowgate::formats {

NARROWGATE_HOST_DEVICE inline std::uint32_t float_bits(float x) {
  std::uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

NARROWGATE_HOST_DEVICE inline float float_from_bits(std::uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The FP16 number nearest to x (ties to even) as an FP32 number: infinite from 65520 on; NaN stays NaN.
NARROWGATE_HOST_DEVICE inline float rounded_to_fp16(float x) {
  const std::uint32_t bits = float_bits(x);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return x;
  if (magnitude < 0x38800000u) {
    // Below 2⁻¹⁴ FP16 has the multiples of 2⁻²⁴: adding ½, whose neighbours are that far apart, rounds to them.
    const float rounded = (float_from_bits(magnitude) + 0.5f) - 0.5f;
    return float_from_bits(float_bits(rounded) | (bits & 0x80000000u));
  }
  // To the upper 10 of 23 mantissa bits: just under half a step is added, and the rest of it where the result is odd.
  const std::uint32_t rounded = (magnitude + 0xFFFu + (magnitude >> 13 & 1u)) & ~0x1FFFu;
  return float_from_bits((rounded >= 0x47800000u ? 0x7F800000u : rounded) | (bits & 0x80000000u));
}

}  // namespace narrowgate::formats
