// MXINT8: −127/64 … 127/64 in steps of 1/64. The code of −2 decodes; encoders do not produce it.
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kMxint8{
    .name = "mxint8",
    .kind = Kind::integer,
    .bits = 8,
    .is_signed = true,
    .minimum = -127,
    .maximum = 127,
    .fraction_bits = 6,
    .source = "OCP Microscaling Formats (MX) Specification 1.0",
};

}  // namespace narrowgate::formats
