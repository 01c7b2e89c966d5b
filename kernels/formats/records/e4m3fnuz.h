// E4M3FNUZ: ±240; 0x80 is NaN, so there is no −0 and no infinity.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE4m3fnuz{
    .name = "e4m3fnuz",
    .kind = Kind::floating,
    .bits = 8,
    .is_signed = true,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .bias = 8,
    .specials = Specials::nan_minus_zero,
    .has_subnormals = true,
    .source = "Noune et al., 8-bit Numerical Formats for Deep Neural Networks, arXiv 2206.02915",
};

}  // namespace narrowgate::formats
