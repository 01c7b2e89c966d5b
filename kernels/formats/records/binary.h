// Binary: −1 and +1; there is no zero, and x < 0 alone decides (−0 becomes +1).
#pragma once

#include "kernels/formats/format.h"

namespace narrowgate::formats {

inline constexpr Format kBinary{
    .name = "binary",
    .kind = Kind::sign,
    .bits = 1,
    .is_signed = true,
    .minimum = -1,
    .maximum = 1,
    .fraction_bits = 0,
    .source = "Rastegari et al., XNOR-Net, arXiv 1603.05279",
};

}  // namespace narrowgate::formats
