// This project's codes against CUDA's host headers: every code, and floats of every exponent and decision.
// NaN is compared as a class: NVIDIA's canonical E5M2 NaN is 0x7F, ours 0x7E.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/float_sample.h"
#include "scripts/conformance/cuda_headers.h"

namespace narrowgate::conformance {
namespace {

bool same_value(const formats::Format& format, std::uint32_t ours, std::uint32_t theirs) {
  return ours == theirs || (std::isnan(formats::decode(format, ours)) && std::isnan(formats::decode(format, theirs)));
}

void expect_same_codes(const CudaConversion& conversion, const std::vector<float>& sample) {
  for (const float x : sample) {
    const auto ours = formats::encode(conversion.format, x, formats::Rounding::nearest_even, conversion.overflow);
    if (!ours) continue;  // NaN into a format without one: refused here, +maximum there
    ASSERT_TRUE(same_value(conversion.format, *ours, conversion.encode(x))) << conversion.format.name << ' ' << x;
  }
}

TEST(CudaHeaders, EncodeAlike) {
  const std::vector<float> sample = formats::stratified_floats();
  for (const CudaConversion& conversion : cuda_conversions()) {
    expect_same_codes(conversion, sample);
    expect_same_codes(conversion, formats::neighbourhoods(conversion.format));
  }
}

TEST(CudaHeaders, DecodeAlike) {
  for (const CudaConversion& conversion : cuda_conversions()) {
    for (std::uint32_t code = 0; code < conversion.format.code_count(); ++code) {
      const float ours = formats::decode(conversion.format, code);
      const float theirs = cuda_decode(conversion.format, static_cast<std::uint8_t>(code));
      ASSERT_TRUE(std::bit_cast<std::uint32_t>(ours) == std::bit_cast<std::uint32_t>(theirs) ||
                  (std::isnan(ours) && std::isnan(theirs)))
          << conversion.format.name << ' ' << code;
    }
  }
}

TEST(CudaHeaders, E8m0) {
  for (std::uint32_t code = 0; code < 255; ++code) {
    EXPECT_EQ(cuda_e8m0_decode(static_cast<std::uint8_t>(code)), formats::decode(formats::kE8m0, code));
  }
  for (const float x : formats::stratified_floats()) {
    if (!(x > 0) || !std::isfinite(x)) continue;  // CUDA takes |x|; here a negative number is NaN
    ASSERT_EQ(cuda_e8m0_toward_zero(x), *formats::encode(formats::kE8m0, x, formats::Rounding::toward_zero)) << x;
  }
}

}  // namespace
}  // namespace narrowgate::conformance
