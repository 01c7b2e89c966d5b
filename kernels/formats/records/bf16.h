// BF16: the upper half of FP32.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kBf16{
    .name = "bf16",
    .kind = Kind::floating,
    .bits = 16,
    .is_signed = true,
    .exponent_bits = 8,
    .mantissa_bits = 7,
    .bias = 127,
    .specials = Specials::ieee,
    .has_subnormals = true,
    .source = "IEEE 754-2019 rules with FP32's exponent",
};

}  // namespace narrowgate::formats
