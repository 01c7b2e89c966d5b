// UINT4: 0 … 15, for use with a zero point.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kUint4{
    .name = "uint4",
    .kind = Kind::integer,
    .bits = 4,
    .is_signed = false,
    .minimum = 0,
    .maximum = 15,
    .fraction_bits = 0,
    .source = "binary",
};

}  // namespace narrowgate::formats
