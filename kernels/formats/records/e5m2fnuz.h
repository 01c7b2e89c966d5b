// E5M2FNUZ: ±57344; 0x80 is NaN, so there is no −0 and no infinity.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kE5m2fnuz{
    .name = "e5m2fnuz",
    .kind = Kind::floating,
    .bits = 8,
    .is_signed = true,
    .exponent_bits = 5,
    .mantissa_bits = 2,
    .bias = 16,
    .specials = Specials::nan_minus_zero,
    .has_subnormals = true,
    .source = "Noune et al., 8-bit Numerical Formats for Deep Neural Networks, arXiv 2206.02915",
};

}  // namespace narrowgate::formats
