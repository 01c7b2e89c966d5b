// INT8, symmetric: −127 … 127; −128 decodes but is never produced.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kInt8{
    .name = "int8",
    .kind = Kind::integer,
    .bits = 8,
    .is_signed = true,
    .minimum = -127,
    .maximum = 127,
    .fraction_bits = 0,
    .source = "two's complement",
};

}  // namespace narrowgate::formats
