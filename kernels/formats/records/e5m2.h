// E5M2: ±57344, infinity and NaN as IEEE 754.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE5m2{
    .name = "e5m2",
    .kind = Kind::floating,
    .bits = 8,
    .is_signed = true,
    .exponent_bits = 5,
    .mantissa_bits = 2,
    .bias = 15,
    .specials = Specials::ieee,
    .has_subnormals = true,
    .source = "OCP 8-bit Floating Point Specification (OFP8) 1.0",
};

}  // namespace narrowgate::formats
