#include "scripts/conformance/cuda_headers.h"

#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "kernels/formats/records/e2m1.h"
#include "kernels/formats/records/e2m3.h"
#include "kernels/formats/records/e3m2.h"
#include "kernels/formats/records/e4m3.h"
#include "kernels/formats/records/e5m2.h"
#include "kernels/formats/records/bf16.h"
#include "kernels/formats/records/fp16.h"

namespace narrowgate::conformance {
namespace {

using formats::Overflow;

template <__nv_saturation_t kSaturation, __nv_fp8_interpretation_t kKind>
std::uint8_t encode_fp8(float x) {
  return __nv_cvt_float_to_fp8(x, kSaturation, kKind);
}
template <__nv_fp6_interpretation_t kKind>
std::uint8_t encode_fp6(float x) {
  return __nv_cvt_float_to_fp6(x, kKind, cudaRoundNearest);
}
std::uint8_t encode_fp4(float x) { return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest); }

constexpr CudaConversion kConversions[] = {
    {formats::kE4m3, Overflow::saturate, encode_fp8<__NV_SATFINITE, __NV_E4M3>},
    {formats::kE4m3, Overflow::no_saturate, encode_fp8<__NV_NOSAT, __NV_E4M3>},
    {formats::kE5m2, Overflow::saturate, encode_fp8<__NV_SATFINITE, __NV_E5M2>},
    {formats::kE5m2, Overflow::no_saturate, encode_fp8<__NV_NOSAT, __NV_E5M2>},
    {formats::kE2m3, Overflow::saturate, encode_fp6<__NV_E2M3>},
    {formats::kE3m2, Overflow::saturate, encode_fp6<__NV_E3M2>},
    {formats::kE2m1, Overflow::saturate, encode_fp4},
};

}  // namespace

std::span<const CudaConversion> cuda_conversions() { return kConversions; }

float cuda_decode(const formats::Format& format, std::uint8_t code) {
  const auto half = [&]() -> __half_raw {
    if (&format == &formats::kE4m3) return __nv_cvt_fp8_to_halfraw(code, __NV_E4M3);
    if (&format == &formats::kE5m2) return __nv_cvt_fp8_to_halfraw(code, __NV_E5M2);
    if (&format == &formats::kE2m3) return __nv_cvt_fp6_to_halfraw(code, __NV_E2M3);
    if (&format == &formats::kE3m2) return __nv_cvt_fp6_to_halfraw(code, __NV_E3M2);
    return __nv_cvt_fp4_to_halfraw(code, __NV_E2M1);
  }();
  return formats::decode(formats::kFp16, half.x);
}

std::uint8_t cuda_e8m0_toward_zero(float x) { return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero); }

float cuda_e8m0_decode(std::uint8_t code) { return formats::decode(formats::kBf16, __nv_cvt_e8m0_to_bf16raw(code).x); }

}  // namespace narrowgate::conformance
