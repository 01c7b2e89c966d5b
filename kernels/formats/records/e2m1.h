// E2M1: {0, ½, 1, 1½, 2, 3, 4, 6} with a sign.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE2m1{
    .name = "e2m1",
    .kind = Kind::floating,
    .bits = 4,
    .is_signed = true,
    .exponent_bits = 2,
    .mantissa_bits = 1,
    .bias = 1,
    .specials = Specials::none,
    .has_subnormals = true,
    .source = "OCP Microscaling Formats (MX) Specification 1.0",
};

}  // namespace narrowgate::formats
