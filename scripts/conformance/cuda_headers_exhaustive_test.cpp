// All 2³² floats against CUDA's host headers. Minutes: labelled slow.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "scripts/conformance/cuda_headers.h"

namespace narrowgate::conformance {
namespace {

// Patterns with the given top byte whose codes differ.
std::size_t differences(const CudaConversion& conversion, std::uint32_t top_byte) {
  const formats::Format& format = conversion.format;
  std::size_t count = 0;
  for (std::uint32_t low = 0; low < 1u << 24; ++low) {
    const float x = std::bit_cast<float>(top_byte << 24 | low);
    const auto ours = formats::encode(format, x, formats::Rounding::nearest_even, conversion.overflow);
    if (!ours) continue;
    const std::uint32_t theirs = conversion.encode(x);
    const bool both_nan = *ours == format.nan_code() && format.has_nan() && std::isnan(formats::decode(format, theirs));
    count += *ours != theirs && !both_nan;
  }
  return count;
}

TEST(CudaHeadersExhaustive, AllFloats) {
  for (const CudaConversion& conversion : cuda_conversions()) {
    std::atomic<std::size_t> count = 0;
#pragma omp parallel for schedule(dynamic)
    for (int top_byte = 0; top_byte < 256; ++top_byte) count += differences(conversion, static_cast<std::uint32_t>(top_byte));
    EXPECT_EQ(count, 0u) << conversion.format.name;
  }
}

}  // namespace
}  // namespace narrowgate::conformance
