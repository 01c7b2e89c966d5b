// NVFP4: the two levels, the convention, the clamps.
#include "kernels/quantize/nvfp4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using testing::ElementsAre;

TEST(Nvfp4, TheTopBlockGets448AndTheTensorScaleTheRest) {
  std::vector<float> x(32, 0.0f);
  x[0] = 2688.0f;
  x[16] = 6.0f;
  const auto q = nvfp4(as_row(x), BlockAxis::cols);
  EXPECT_EQ(q->tensor_scale, 1.0f);
  EXPECT_THAT(q->scales, ElementsAre(448.0f, 1.0f));
  EXPECT_EQ(q->dequantized(0, 0), 2688.0);
  EXPECT_EQ(q->dequantized(0, 16), 6.0);
}

// A block of amax 3.6 with tensor scale 1, under three conventions. Stored scales here are decode scales, so the
// second is this project's; the third divides by a stored encode scale.
TEST(Nvfp4, DecodeScaleConventionInThreeLiterals) {
  const auto decoded = [](float x) { return formats::decode(formats::kE2m1, *formats::encode(formats::kE2m1, x)); };
  const auto e4m3 = [](float x) { return formats::decode(formats::kE4m3, *formats::encode(formats::kE4m3, x)); };
  EXPECT_EQ(decoded(3.6f / 1.0f) * 1.0f, 4.0f);
  float decode_scale = 3.6f;
  nvfp4_scale_rule(1.0f)({&decode_scale, 1});
  EXPECT_EQ(decode_scale, 0.625f);
  EXPECT_EQ(decoded(3.6f / decode_scale) * decode_scale, 3.75f);
  const float encode_scale = e4m3(6.0f / 3.6f);
  EXPECT_EQ(encode_scale, 1.625f);
  EXPECT_NEAR(decoded(3.6f * encode_scale) / encode_scale, 3.6923f, 5e-5f);
}

TEST(Nvfp4, BlockScalesStayWithinE4m3) {
  std::vector<float> x(48, 0.0f);
  x[0] = 1e38f;
  x[16] = 1e-38f;  // its own scale would be zero
  const auto q = nvfp4(as_row(x), BlockAxis::cols);
  EXPECT_THAT(q->scales, ElementsAre(448.0f, 0x1p-9f, 0x1p-9f));
  EXPECT_EQ(q->dequantized(0, 16), 0.0);
  const auto largest = nvfp4(as_row({std::numeric_limits<float>::max()}), BlockAxis::cols);
  EXPECT_THAT(largest->scales, ElementsAre(448.0f));
  EXPECT_NEAR(largest->dequantized(0, 0) / std::numeric_limits<float>::max(), 1.0, 1e-6);
}

TEST(Nvfp4, ZeroTensor) {
  const auto q = nvfp4(as_row(std::vector<float>(16, 0.0f)), BlockAxis::cols);
  EXPECT_EQ(q->tensor_scale, 0x1p-126f);
  EXPECT_THAT(q->scales, ElementsAre(0x1p-9f));
  EXPECT_THAT(q->codes.flat(), testing::Each(0));
}

TEST(Nvfp4, RefusesWhatIsNotFinite) {
  const auto q = nvfp4(as_row({1.0f, std::nanf("")}), BlockAxis::cols);
  ASSERT_FALSE(q);
  EXPECT_THAT(q.error().reason, testing::HasSubstr("row 0, column 1 is nan"));
}

TEST(Nvfp4, StorageCostIsFourAndAHalfBitsAndTheTensorScale) {
  EXPECT_EQ(bits_per_weight(*nvfp4(gaussian_matrix(32, 32).view(), BlockAxis::rows)), 4.5 + 32.0 / 1024);
}

}  // namespace
}  // namespace narrowgate::quantize
