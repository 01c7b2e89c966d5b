// FP16 and FP8 words on the host: literals first, then against the formats of kernels/formats.
#include "kernels/simt/half_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/formats/records/fp16.h"
#include "kernels/formats/scalar.h"
#include "kernels/random/philox.h"
#include "kernels/simt/fp8_words.h"

namespace narrowgate {
namespace {

TEST(HalfWords, Literals) {
  EXPECT_EQ(__float2half_rn(1.0f).bits, 0x3c00);
  EXPECT_EQ(__float2half_rn(-2.0f).bits, 0xc000);
  EXPECT_EQ(__float2half_rn(-0.0f).bits, 0x8000);
  EXPECT_EQ(__float2half_rn(65519.0f).bits, 0x7bff);
  EXPECT_EQ(__float2half_rn(65520.0f).bits, 0x7c00);
  EXPECT_EQ(__float2half_rn(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(__float2half_rn(0x1p-25f).bits, 0x0000);    // a tie, to even
  EXPECT_EQ(__float2half_rn(0x1.8p-24f).bits, 0x0002);  // another
  EXPECT_EQ(__float2half_rn(0x1.ffcp-15f).bits, 0x0400);
  EXPECT_EQ(__float2half_rn(-std::numeric_limits<float>::quiet_NaN()).bits, 0x7fff);
  EXPECT_EQ(__half2float({0x3555}), 0x1.554p-2f);
  EXPECT_EQ(__half2float({0xfc00}), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(__half2float({0x7e00})));
}

TEST(HalfWords, EveryCodeGoesToItsValueAndBack) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const __half half{static_cast<std::uint16_t>(code)};
    const float value = formats::decode(formats::kFp16, code);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(__half2float(half))) << code;
      continue;
    }
    ASSERT_EQ(formats::float_bits(__half2float(half)), formats::float_bits(value)) << code;
    ASSERT_EQ(__float2half_rn(value).bits, code);
  }
}

TEST(HalfWords, AnyFloatRoundsAsTheFormatDoes) {
  const RandomStream stream{.seed = 16};
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const float value = formats::float_from_bits(philox_word(stream, i));
    if (std::isnan(value)) continue;
    using formats::Overflow, formats::Rounding;
    const auto code = formats::encode(formats::kFp16, value, Rounding::nearest_even, Overflow::no_saturate);
    ASSERT_EQ(__float2half_rn(value).bits, *code) << value;
  }
}

TEST(HalfWords, PairsKeepLowAndHighApart) {
  const __half2 pair = __halves2half2(__float2half_rn(1.5f), __float2half_rn(-4.0f));
  EXPECT_EQ(__low2float(pair), 1.5f);
  EXPECT_EQ(__high2float(pair), -4.0f);
  std::uint32_t word;
  std::memcpy(&word, &pair, sizeof word);
  EXPECT_EQ(word, 0xc4003e00u);
}

TEST(Fp8Words, Literals) {
  EXPECT_EQ(e4m3_to_float(0x7e), 448.0f);
  EXPECT_EQ(e4m3_to_float(0x81), -0x1p-9f);
  EXPECT_TRUE(std::isnan(e4m3_to_float(0x7f)));
  EXPECT_EQ(e5m2_to_float(0x7b), 57344.0f);
  EXPECT_EQ(e5m2_to_float(0xfc), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(float_to_e4m3(1.0f), 0x38);
  EXPECT_EQ(float_to_e4m3(-1e9f), 0xfe);
  EXPECT_EQ(float_to_e4m3(std::numeric_limits<float>::infinity()), 0x7e);
  EXPECT_EQ(float_to_e4m3(17.0f), 0x58);  // a tie between 16 and 18
  EXPECT_EQ(float_to_e4m3(19.0f), 0x5a);  // and one between 18 and 20
  EXPECT_EQ(float_to_e4m3(std::numeric_limits<float>::quiet_NaN()), 0x7f);
}

}  // namespace
}  // namespace narrowgate
