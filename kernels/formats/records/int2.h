// INT2, symmetric: −1, 0, 1; −2 decodes but is never produced.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kInt2{
    .name = "int2",
    .kind = Kind::integer,
    .bits = 2,
    .is_signed = true,
    .minimum = -1,
    .maximum = 1,
    .fraction_bits = 0,
    .source = "two's complement",
};

}  // namespace narrowgate::formats
