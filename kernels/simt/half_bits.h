// FP16 values by their bits: as they lie packed in words, the same on a device and on the host.
#pragma once

#include "kernels/simt/device_words.h"

namespace narrowgate {

// Exact.
NARROWGATE_DEVICE inline float half_to_float(std::uint16_t bits) {
#ifdef __CUDACC__
  return __half2float(__ushort_as_half(bits));
#else
  return __half2float(__half{bits});
#endif
}

// One half of a word: 0 the low, 1 the high one. On a device a register's half is an operand as it stands.
NARROWGATE_DEVICE inline float half_to_float(std::uint32_t word, int which) {
#ifdef __CUDACC__
  const __half2 pair = *reinterpret_cast<const __half2*>(&word);
  return which == 0 ? __low2float(pair) : __high2float(pair);
#else
  return half_to_float(static_cast<std::uint16_t>(word >> (16 * which)));
#endif
}

// To nearest, ties to even.
NARROWGATE_DEVICE inline std::uint32_t floats_to_halves(float low, float high) {
  const __half halves[2] = {__float2half_rn(low), __float2half_rn(high)};
  std::uint32_t word;
  memcpy(&word, halves, sizeof word);
  return word;
}

}  // namespace narrowgate
