// The host's side of CUDA's arithmetic words. Each rounds once, to nearest even, as the device does.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }

inline float __int2float_rn(int value) { return static_cast<float>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }
// Saturates; NaN gives 0.
inline int __float2int_rn(float value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p31f) return std::numeric_limits<int>::max();
  if (value < -0x1p31f) return std::numeric_limits<int>::min();
  return static_cast<int>(std::nearbyint(value));
}

inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline float __uint_as_float(unsigned value) { return std::bit_cast<float>(value); }
inline float __int_as_float(int value) { return std::bit_cast<float>(value); }

inline int __popc(unsigned value) { return std::popcount(value); }
inline int __clz(int value) { return std::countl_zero(static_cast<unsigned>(value)); }
// The place of the lowest 1, counted from 1; 0 where there is none.
inline int __ffs(int value) { return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1; }
// The low word of high:low shifted right by shift mod 32.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31u));
}

// Byte i of the result is byte (selector nibble i, its low three bits) of y:x; a nibble's top bit asks for that byte's
// sign, eight times.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i) & 15u;
    const unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7u))) & 0xffu;
    const unsigned sign = (byte & 0x80u) != 0 ? 0xffu : 0u;
    result |= ((nibble & 8u) != 0 ? sign : byte) << (8 * i);
  }
  return result;
}

// c + the four products of bytes; wraps.
inline int __dp4a(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<unsigned>(static_cast<std::int8_t>(a >> (8 * i)) * static_cast<std::int8_t>(b >> (8 * i)));
  }
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xffu) * (b >> (8 * i) & 0xffu);
  return c;
}

// A load that the device may keep in its read-only cache.
template <class T>
T __ldg(const T* address) {
  return *address;
}
