// NVIDIA's conversions, as its headers define them for the host. Their names stay in one translation unit.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/formats/scalar.h"

namespace narrowgate::conformance {

// One conversion of CUDA's headers that this project's records claim to equal.
struct CudaConversion {
  const formats::Format& format;
  formats::Overflow overflow;
  std::uint8_t (*encode)(float);
};

std::span<const CudaConversion> cuda_conversions();

// CUDA's value of a code of one of the formats above.
float cuda_decode(const formats::Format& format, std::uint8_t code);

// float → E8M0, for which CUDA has rounding toward zero and up only.
std::uint8_t cuda_e8m0_toward_zero(float x);
float cuda_e8m0_decode(std::uint8_t code);

}  // namespace narrowgate::conformance
