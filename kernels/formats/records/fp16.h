// FP16: binary16.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kFp16{
    .name = "fp16",
    .kind = Kind::floating,
    .bits = 16,
    .is_signed = true,
    .exponent_bits = 5,
    .mantissa_bits = 10,
    .bias = 15,
    .specials = Specials::ieee,
    .has_subnormals = true,
    .source = "IEEE 754-2019",
};

}  // namespace narrowgate::formats
