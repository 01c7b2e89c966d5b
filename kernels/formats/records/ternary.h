// Ternary: −1, 0, 1 in two bits of two's complement.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kTernary{
    .name = "ternary",
    .kind = Kind::integer,
    .bits = 2,
    .is_signed = true,
    .minimum = -1,
    .maximum = 1,
    .fraction_bits = 0,
    .source = "Ma et al., The Era of 1-bit LLMs, arXiv 2402.17764",
};

}  // namespace narrowgate::formats
