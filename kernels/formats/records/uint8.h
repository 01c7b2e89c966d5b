// UINT8: 0 … 255, for use with a zero point.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kUint8{
    .name = "uint8",
    .kind = Kind::integer,
    .bits = 8,
    .is_signed = false,
    .minimum = 0,
    .maximum = 255,
    .fraction_bits = 0,
    .source = "binary",
};

}  // namespace narrowgate::formats
