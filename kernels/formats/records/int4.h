// INT4, symmetric: −7 … 7; −8 decodes but is never produced.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kInt4{
    .name = "int4",
    .kind = Kind::integer,
    .bits = 4,
    .is_signed = true,
    .minimum = -7,
    .maximum = 7,
    .fraction_bits = 0,
    .source = "two's complement",
};

}  // namespace narrowgate::formats
