// The host's side of CUDA's FP16 types and conversions. They store; arithmetic is done in FP32.
#pragma once

#include <cstdint>

#include "kernels/formats/fp16_rounding.h"

struct __half {
  std::uint16_t bits;
};
struct alignas(4) __half2 {
  __half x, y;
};

// Nearest even; infinite from 65520 on; any NaN becomes 0x7fff, as on the device.
inline __half __float2half_rn(float value) {
  namespace formats = ::narrowgate::formats;
  const float rounded = formats::rounded_to_fp16(value);
  const std::uint32_t bits = formats::float_bits(rounded), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  if (magnitude > 0x7f800000u) return {0x7fff};
  if (magnitude == 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
  if (magnitude < 0x38800000u) {  // a multiple of 2⁻²⁴ below 2⁻¹⁴
    const auto count = static_cast<std::uint32_t>(formats::float_from_bits(magnitude) * 0x1p24f);
    return {static_cast<std::uint16_t>(sign | count)};
  }
  return {static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u) >> 13))};  // the biases are 127 and 15
}

inline float __half2float(__half value) {
  namespace formats = ::narrowgate::formats;
  const std::uint32_t magnitude = value.bits & 0x7fffu, sign = (value.bits & 0x8000u) << 16;
  if (magnitude >= 0x7c00u) return formats::float_from_bits(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x0400u) return formats::float_from_bits(sign | ((magnitude << 13) + 0x38000000u));
  return formats::float_from_bits(sign | formats::float_bits(static_cast<float>(magnitude) * 0x1p-24f));
}

inline __half2 __halves2half2(__half low, __half high) { return {low, high}; }
inline float __low2float(__half2 value) { return __half2float(value.x); }
inline float __high2float(__half2 value) { return __half2float(value.y); }
