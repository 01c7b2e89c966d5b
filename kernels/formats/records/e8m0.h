// E8M0: the powers of two 2⁻¹²⁷ … 2¹²⁷ and NaN = 0xFF; no sign, no zero.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE8m0{
    .name = "e8m0",
    .kind = Kind::floating,
    .bits = 8,
    .is_signed = false,
    .exponent_bits = 8,
    .mantissa_bits = 0,
    .bias = 127,
    .specials = Specials::nan_all_ones,
    .has_subnormals = false,
    .source = "OCP Microscaling Formats (MX) Specification 1.0",
};

}  // namespace narrowgate::formats
