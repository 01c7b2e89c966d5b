// E2M3: ±7.5, every code is a number.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE2m3{
    .name = "e2m3",
    .kind = Kind::floating,
    .bits = 6,
    .is_signed = true,
    .exponent_bits = 2,
    .mantissa_bits = 3,
    .bias = 1,
    .specials = Specials::none,
    .has_subnormals = true,
    .source = "OCP Microscaling Formats (MX) Specification 1.0",
};

}  // namespace narrowgate::formats
