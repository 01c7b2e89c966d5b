// A number format as data: a record of facts from its standard. Everything else is derived (scalar.h, simd-inl.h).
//
// A code is the bit pattern in the low `bits` bits of an unsigned integer. Floating formats store sign, exponent and
// mantissa from high to low; integer formats store two's complement (plain binary when unsigned).
#pragma once

#include <cstdint>

namespace narrowgate::formats {

enum class Kind {
  floating,
  integer,
  sign,  // one bit, no zero: code 0 is −1, code 1 is +1
};

// Which codes of a floating format are not numbers.
enum class Specials {
  none,
  nan_all_ones,    // exponent and mantissa all ones are NaN; no infinity ("fn")
  nan_minus_zero,  // the code of −0 is the only NaN; no infinity, no −0 ("fnuz")
  ieee,            // the top exponent holds infinity and NaN
};

struct Format {
  const char* name;
  Kind kind;
  int bits;
  bool is_signed;
  // Floating formats.
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Specials specials = Specials::none;
  bool has_subnormals = false;  // false only for a format without zero (E8M0)
  // Integer formats: value = integer · 2^−fraction_bits; encoders produce [minimum, maximum] only.
  int minimum = 0;
  int maximum = 0;
  int fraction_bits = 0;
  const char* source = "";  // the document that defines it

  constexpr bool is_floating() const { return kind == Kind::floating; }
  constexpr std::uint32_t code_count() const { return 1u << bits; }
  constexpr std::uint32_t code_mask() const { return code_count() - 1; }

  // Floating formats only, from here on.
  constexpr std::uint32_t sign_bit() const { return is_signed ? 1u << (bits - 1) : 0u; }
  constexpr std::uint32_t magnitude_mask() const { return code_mask() & ~sign_bit(); }
  // Exponent of the smallest normal number.
  constexpr int minimum_exponent() const { return has_subnormals ? 1 - bias : -bias; }
  constexpr bool has_nan() const { return specials != Specials::none; }
  constexpr bool has_infinity() const { return specials == Specials::ieee; }
  constexpr bool has_minus_zero() const { return is_signed && specials != Specials::nan_minus_zero; }
  constexpr std::uint32_t infinity_code() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  // Magnitude code of the largest finite number.
  constexpr std::uint32_t maximum_code() const {
    if (specials == Specials::ieee) return infinity_code() - 1;
    return specials == Specials::nan_all_ones ? magnitude_mask() - 1 : magnitude_mask();
  }
  // The one NaN that encoders write: positive and quiet where the format has a choice.
  constexpr std::uint32_t nan_code() const {
    if (specials == Specials::ieee) return infinity_code() | 1u << (mantissa_bits - 1);
    return specials == Specials::nan_minus_zero ? sign_bit() : magnitude_mask();
  }
};

}  // namespace narrowgate::formats
