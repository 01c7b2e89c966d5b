// E3M2: ±28, every code is a number.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE3m2{
    .name = "e3m2",
    .kind = Kind::floating,
    .bits = 6,
    .is_signed = true,
    .exponent_bits = 3,
    .mantissa_bits = 2,
    .bias = 3,
    .specials = Specials::none,
    .has_subnormals = true,
    .source = "OCP Microscaling Formats (MX) Specification 1.0",
};

}  // namespace narrowgate::formats
