// Every code of every format: decoding then encoding gives the code back, codes ascend with their values, and each
// midpoint between neighbours goes to the even code.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/scalar.h"

namespace narrowgate::formats {
namespace {

bool is_produced_by_encoders(const Format& format, std::uint32_t code) {
  if (format.is_floating()) return !std::isnan(decode(format, code)) || code == format.nan_code();
  return format.kind == Kind::sign || decode(format, code) * std::exp2(format.fraction_bits) >= format.minimum;
}

TEST(EveryCode, DecodeThenEncodeIsTheIdentity) {
  for (const Format* format : kAllFormats) {
    for (std::uint32_t code = 0; code < format->code_count(); ++code) {
      if (!is_produced_by_encoders(*format, code)) continue;
      for (const Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero, Rounding::stochastic}) {
        for (const std::uint32_t random : {0u, 0xFFFFFFFFu}) {
          const auto back = encode(*format, decode(*format, code), rounding, Overflow::no_saturate, random);
          ASSERT_EQ(back, code) << format->name;
        }
      }
    }
  }
}

TEST(EveryCode, OfAFloatingFormatAscends) {
  for (const Format* format : kAllFormats) {
    if (!format->is_floating()) continue;
    for (std::uint32_t code = 0; code < format->maximum_code(); ++code) {
      ASSERT_LT(decode(*format, code), decode(*format, code + 1)) << format->name << ' ' << code;
      if (format->is_signed && code > 0) {
        ASSERT_EQ(decode(*format, code | format->sign_bit()), -decode(*format, code));
      }
    }
  }
}

// Around the midpoint of codes c and c + 1: the tie, and the doubles on either side of it.
void expect_rounding_about(const Format& format, std::uint32_t low, std::uint32_t high, std::uint32_t even) {
  const double middle = (static_cast<double>(decode(format, low)) + decode(format, high)) / 2;
  ASSERT_EQ(encode(format, middle), even) << format.name << " tie " << middle;
  ASSERT_EQ(encode(format, std::nextafter(middle, -1e300)), low) << format.name << " below " << middle;
  ASSERT_EQ(encode(format, std::nextafter(middle, 1e300)), high) << format.name << " above " << middle;
}

TEST(EveryTie, OfAFloatingFormatGoesToTheEvenCode) {
  for (const Format* format : kAllFormats) {
    if (!format->is_floating()) continue;
    for (std::uint32_t code = 0; code < format->maximum_code(); ++code) {
      const std::uint32_t even = code % 2 == 0 ? code : code + 1;
      expect_rounding_about(*format, code, code + 1, even);
      const std::uint32_t sign = format->sign_bit();
      if (sign == 0 || !format->has_minus_zero()) continue;
      expect_rounding_about(*format, (code + 1) | sign, code | sign, even | sign);
    }
  }
}

TEST(EveryTie, OfAnIntegerFormatGoesToTheEvenInteger) {
  for (const Format* format : kAllFormats) {
    if (format->kind != Kind::integer) continue;
    const double step = std::exp2(-format->fraction_bits);
    for (int integer = format->minimum; integer < format->maximum; ++integer) {
      const auto code_of = [&](int value) { return static_cast<std::uint32_t>(value) & format->code_mask(); };
      expect_rounding_about(*format, code_of(integer), code_of(integer + 1),
                            code_of(integer % 2 == 0 ? integer : integer + 1));
      ASSERT_EQ(decode(*format, code_of(integer)), integer * step);
    }
  }
}

}  // namespace
}  // namespace narrowgate::formats
