// All 2³² FP32 bit patterns, vector code against scalar code. Minutes, not seconds: labelled slow.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/span_codec.h"

namespace narrowgate::formats {
namespace {

// Number of the 2²⁴ patterns with the given top byte whose two codes differ. Code is the width of the vector path.
template <class Code>
std::size_t differences(const Format& format, std::uint32_t top_byte) {
  constexpr std::size_t kCount = std::size_t{1} << 24;
  std::vector<float> x(kCount);
  std::vector<Code> codes(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    x[i] = std::bit_cast<float>(top_byte << 24 | static_cast<std::uint32_t>(i));
  }
  encode_span(format, x, codes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto expected = encode(format, x[i]);
    count += expected && *expected != codes[i];
  }
  return count;
}

class AllFloats : public testing::TestWithParam<const Format*> {};

TEST_P(AllFloats, VectorEqualsScalar) {
  std::atomic<std::size_t> count = 0;
#pragma omp parallel for schedule(dynamic)
  for (int top_byte = 0; top_byte < 256; ++top_byte) {
    const auto top = static_cast<std::uint32_t>(top_byte);
    count += differences<std::uint16_t>(*GetParam(), top);
    if (GetParam()->bits <= 8) count += differences<std::uint8_t>(*GetParam(), top);
  }
  EXPECT_EQ(count, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, AllFloats, testing::ValuesIn(kAllFormats),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

}  // namespace
}  // namespace narrowgate::formats
