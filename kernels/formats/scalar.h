// Decoding and encoding one value of any format, exactly. Reads like the standards; the vector code must equal it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "kernels/formats/format.h"

namespace narrowgate::formats {

enum class Rounding {
  nearest_even,
  toward_zero,
  stochastic,  // to one of the two neighbours, with probability in proportion to nearness
};

// What becomes of finite values that round beyond the largest, and of infinities. Integer formats always saturate,
// and so do floating formats that have neither infinity nor NaN.
enum class Overflow {
  saturate,     // ±maximum
  no_saturate,  // infinity where there is one, else NaN
};

constexpr double power_of_two(int exponent) {  // −1022 ≤ exponent ≤ 1023
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

constexpr int sign_extended(std::uint32_t code, int bits) {
  const std::uint32_t sign = 1u << (bits - 1);
  return static_cast<int>((code ^ sign)) - static_cast<int>(sign);
}

// Every value of every format here is exact in FP32. Bits above `format.bits` are ignored.
constexpr float decode(const Format& format, std::uint32_t code) {
  code &= format.code_mask();
  if (format.kind == Kind::sign) return code == 0 ? -1.0f : 1.0f;
  if (format.kind == Kind::integer) {
    const int integer = format.is_signed ? sign_extended(code, format.bits) : static_cast<int>(code);
    return static_cast<float>(integer * power_of_two(-format.fraction_bits));
  }
  const float sign = (code & format.sign_bit()) != 0 ? -1.0f : 1.0f;
  const std::uint32_t magnitude = code & format.magnitude_mask();
  if (format.specials == Specials::nan_minus_zero && code == format.sign_bit()) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (magnitude > format.maximum_code()) {
    return format.has_infinity() && magnitude == format.infinity_code() ? sign * std::numeric_limits<float>::infinity()
                                                                        : std::numeric_limits<float>::quiet_NaN();
  }
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  const double fraction = magnitude & ((1u << format.mantissa_bits) - 1);
  const bool is_subnormal = format.has_subnormals && field == 0;
  const double significand = is_subnormal ? fraction : fraction + (1u << format.mantissa_bits);
  const int exponent = (is_subnormal ? format.minimum_exponent() : field - format.bias) - format.mantissa_bits;
  return sign * static_cast<float>(significand * power_of_two(exponent));
}

// ⌊log₂|x|⌋ of a finite x ≠ 0, by bit field; −1023 for everything below 2⁻¹⁰²² (no format here reaches that low).
constexpr int floor_log2(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7FF) - 1023;
}

// |x| / 2^quantum rounded to an integer. |x| < 2^(quantum + 20), so the quotient is small and the remainder exact.
// Ties go to the even *code*: `first_code` plus the quotient.
// Stochastic rounding goes up when `random`, uniform in [0, 2³²), is below the remainder's share of 2³². For FP32
// inputs above half of the smallest quantum that share is exact; far below it is truncated to a multiple of 2⁻³².
constexpr std::uint64_t round_to_quantum(double magnitude, int quantum, std::uint64_t first_code, Rounding rounding,
                                         std::uint32_t random) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude);
  const bool is_normal = (bits >> 52) != 0;
  const std::uint64_t significand = (bits & ((1ull << 52) - 1)) | (is_normal ? 1ull << 52 : 0);
  const int shift = quantum - (floor_log2(magnitude) - 52);
  if (shift > 95) return 0;  // nearer to zero than any rounding can tell
  const std::uint64_t quotient = shift > 63 ? 0 : significand >> shift;
  const std::uint64_t remainder = shift > 63 ? significand : significand & ((1ull << shift) - 1);
  switch (rounding) {
    case Rounding::toward_zero:
      return quotient;
    case Rounding::stochastic:
      return quotient + (random < remainder >> (shift - 32) ? 1 : 0);
    case Rounding::nearest_even:
      break;
  }
  if (shift > 63) return quotient;
  const std::uint64_t half = 1ull << (shift - 1);
  return quotient + (remainder > half || (remainder == half && (first_code + quotient) % 2 == 1) ? 1 : 0);
}

// An integer format's nearest code; x is not NaN. Rounds, then clamps.
constexpr std::uint32_t encode_integer(const Format& format, double x, Rounding rounding, std::uint32_t random) {
  if (format.kind == Kind::sign) return x < 0 ? 0u : 1u;
  constexpr double kBeyondAll = 1024.0;  // keeps the quotient small; far outside every format
  const double magnitude = std::min(x < 0 ? -x : x, kBeyondAll);
  const auto rounded =
      magnitude == 0 ? 0 : static_cast<int>(round_to_quantum(magnitude, -format.fraction_bits, 0, rounding, random));
  const int integer = std::clamp(x < 0 ? -rounded : rounded, format.minimum, format.maximum);
  return static_cast<std::uint32_t>(integer) & format.code_mask();
}

// Code for a magnitude that the format cannot hold, or for an infinity; `sign` is 0 or the sign bit.
constexpr std::uint32_t overflow_code(const Format& format, std::uint32_t sign, Overflow overflow) {
  if (overflow == Overflow::saturate || !format.has_nan()) return sign | format.maximum_code();
  return format.has_infinity() ? sign | format.infinity_code() : format.nan_code();
}

constexpr std::uint32_t encode_floating(const Format& format, double x, Rounding rounding, Overflow overflow,
                                        std::uint32_t random) {
  const bool is_negative = (std::bit_cast<std::uint64_t>(x) >> 63) != 0;
  if (is_negative && !format.is_signed && x != 0) return format.nan_code();
  const std::uint32_t sign = is_negative ? format.sign_bit() : 0;
  const double magnitude = is_negative ? -x : x;
  if (magnitude == std::numeric_limits<double>::infinity()) return overflow_code(format, sign, overflow);

  const int exponent = std::max(floor_log2(magnitude), format.minimum_exponent());
  // Codes ascend with their values, so within a binade the code is an offset plus the significand, and a carry out of
  // the mantissa lands in the exponent by itself. Without subnormals, all below the smallest number goes to it.
  const std::uint64_t hidden_bit = format.has_subnormals ? 0 : 1ull << format.mantissa_bits;
  const std::uint64_t binade =
      static_cast<std::uint64_t>(exponent - format.minimum_exponent()) << format.mantissa_bits;
  const int quantum = exponent - format.mantissa_bits;
  const std::uint64_t significand =
      magnitude == 0 ? 0 : round_to_quantum(magnitude, quantum, binade - hidden_bit, rounding, random);
  const std::uint64_t code = binade + std::max(significand, hidden_bit) - hidden_bit;
  if (code > format.maximum_code()) {
    return rounding == Rounding::toward_zero ? sign | format.maximum_code() : overflow_code(format, sign, overflow);
  }
  if (code == 0 && !format.has_minus_zero()) return 0;
  return sign | static_cast<std::uint32_t>(code);
}

// The code of x, rounded once. Nothing when x is NaN and the format has no NaN. A float converts exactly.
// `random` is used by stochastic rounding only.
constexpr std::optional<std::uint32_t> encode(const Format& format, double x, Rounding rounding = Rounding::nearest_even,
                                              Overflow overflow = Overflow::saturate, std::uint32_t random = 0) {
  if (x != x) {
    if (!format.is_floating() || !format.has_nan()) return std::nullopt;
    return format.nan_code();
  }
  return format.is_floating() ? encode_floating(format, x, rounding, overflow, random)
                              : encode_integer(format, x, rounding, random);
}

// Largest finite value.
constexpr float maximum(const Format& format) {
  return format.is_floating() ? decode(format, format.maximum_code())
                              : static_cast<float>(format.maximum * power_of_two(-format.fraction_bits));
}

// ⌊log₂ maximum⌋: the exponent of the last binade, "emax" in the MX specification.
constexpr int maximum_exponent(const Format& format) { return floor_log2(maximum(format)); }

}  // namespace narrowgate::formats
