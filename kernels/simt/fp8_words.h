// FP8 codes to FP32 and back, on both sides the same bits: kernels/formats on the host, CUDA's conversions on a device.
//
//   e4m3_to_float, e5m2_to_float   every code; NaN codes give a NaN, whose payload may differ
//   float_to_e4m3                  nearest even, saturating to ±448, infinities too; NaN gives 0x7f
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

#ifdef __CUDACC__

#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace narrowgate {

NARROWGATE_DEVICE inline float e4m3_to_float(std::uint8_t code) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
}
NARROWGATE_DEVICE inline float e5m2_to_float(std::uint8_t code) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E5M2)));
}
NARROWGATE_DEVICE inline std::uint8_t float_to_e4m3(float value) {
  return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
}

}  // namespace narrowgate

#else

#include <array>

#include "kernels/formats/records/e4m3.h"
#include "kernels/formats/records/e5m2.h"
#include "kernels/formats/scalar.h"

namespace narrowgate {
namespace simt {

constexpr std::array<float, 256> decoded_codes(const formats::Format& format) {
  std::array<float, 256> values{};
  for (std::uint32_t code = 0; code < 256; ++code) values[code] = formats::decode(format, code);
  return values;
}
inline constexpr std::array<float, 256> kE4m3Values = decoded_codes(formats::kE4m3);
inline constexpr std::array<float, 256> kE5m2Values = decoded_codes(formats::kE5m2);

}  // namespace simt

inline float e4m3_to_float(std::uint8_t code) { return simt::kE4m3Values[code]; }
inline float e5m2_to_float(std::uint8_t code) { return simt::kE5m2Values[code]; }
inline std::uint8_t float_to_e4m3(float value) {
  return static_cast<std::uint8_t>(*formats::encode(formats::kE4m3, value));
}

}  // namespace narrowgate

#endif
