// The digest of an output: XXH3-128 of the logical row-major FP32 matrix, little-endian, without padding.
// NaN is written as 0x7fc00000 and −0 as +0 (the sign of a zero depends on padding), so equal answers digest equally.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/matrix.h"

namespace narrowgate {

std::uint32_t canonical_bits(float value);
std::string digest(const Matrix<float>& output);  // 32 hex digits

}  // namespace narrowgate
