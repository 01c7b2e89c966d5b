// UINT2: 0 … 3, for use with a zero point.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kUint2{
    .name = "uint2",
    .kind = Kind::integer,
    .bits = 2,
    .is_signed = false,
    .minimum = 0,
    .maximum = 3,
    .fraction_bits = 0,
    .source = "binary",
};

}  // namespace narrowgate::formats
