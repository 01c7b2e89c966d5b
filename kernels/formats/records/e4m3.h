// E4M3: ±448, no infinity, NaN only where exponent and mantissa are all ones.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE4m3{
    .name = "e4m3",
    .kind = Kind::floating,
    .bits = 8,
    .is_signed = true,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .bias = 7,
    .specials = Specials::nan_all_ones,
    .has_subnormals = true,
    .source = "OCP 8-bit Floating Point Specification (OFP8) 1.0",
};

}  // namespace narrowgate::formats
