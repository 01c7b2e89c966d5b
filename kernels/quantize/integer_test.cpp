// Integer quantization against worked examples, then the corners that have broken others.
#include "kernels/quantize/integer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace narrowgate::quantize {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

View<const float> as_row(const std::vector<float>& x) {
  return {x.data(), 1, static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(x.size())};
}

std::vector<int> reported_codes(const QuantizedMatrix& q) {
  std::vector<int> codes;
  for (const std::int8_t code : q.codes.flat()) codes.push_back(code + q.code_offset);
  return codes;
}

TEST(SymmetricInt8, WorkedExample) {
  const auto q = symmetric_int8(as_row({-0.7f, -0.15f, 0.0f, 0.4f, 2.0f}), Granularity::tensor());
  ASSERT_TRUE(q);
  EXPECT_THAT(q->scales, ElementsAre(2.0f / 127.0f));
  EXPECT_THAT(reported_codes(*q), ElementsAre(-44, -10, 0, 25, 127));
  EXPECT_TRUE(q->zero_points.empty());
}

TEST(AsymmetricInt8, WorkedExample) {
  const auto q = asymmetric_int8(as_row({-0.7f, -0.15f, 0.0f, 0.4f, 2.0f}), Granularity::tensor());
  ASSERT_TRUE(q);
  EXPECT_THAT(q->scales, ElementsAre(2.7f / 255.0f));
  EXPECT_THAT(q->zero_points, ElementsAre(66 - 128));
  EXPECT_THAT(reported_codes(*q), ElementsAre(0, 52, 66, 104, 255));
}

TEST(SymmetricInt8, MinusOneTwentyEightIsNeverProduced) {
  const auto q = symmetric_int8(as_row({-1.0f, 0.25f}), Granularity::tensor());
  EXPECT_THAT(reported_codes(*q), ElementsAre(-127, 32));
}

TEST(SymmetricInt8, EachColumnHasItsOwnScale) {
  const std::vector<float> x = {1.0f, -100.0f, 0.5f, 50.0f};
  const auto q = symmetric_int8({x.data(), 2, 2, 2}, Granularity::column());
  EXPECT_THAT(q->scales, ElementsAre(1.0f / 127.0f, 100.0f / 127.0f));
  EXPECT_THAT(reported_codes(*q), ElementsAre(127, -127, 64, 64));  // 63.5 ties to the even 64
}

TEST(SymmetricInt8, GroupsAlongRowsCoverATail) {
  const std::vector<float> x = {127.0f, 254.0f, 12.7f};  // one column, groups of two rows
  const auto q = symmetric_int8({x.data(), 3, 1, 1}, Granularity{2, 1});
  EXPECT_THAT(q->scales, ElementsAre(2.0f, 12.7f / 127.0f));
  EXPECT_THAT(reported_codes(*q), ElementsAre(64, 127, 127));
}

TEST(SymmetricInt8, ReadsThroughALeadingDimension) {
  const std::vector<float> x = {1.0f, 999.0f, -0.5f, 999.0f};
  const auto q = symmetric_int8({x.data(), 2, 1, 2}, Granularity::tensor());
  EXPECT_THAT(reported_codes(*q), ElementsAre(127, -64));
}

TEST(SymmetricInt8, AllZerosDecodeToZeroWithAFiniteScale) {
  const auto q = symmetric_int8(as_row({0.0f, -0.0f}), Granularity::tensor());
  EXPECT_THAT(q->scales, ElementsAre(0x1p-126f));
  EXPECT_EQ(q->dequantized(0, 1), 0.0);
}

TEST(SymmetricInt8, SubnormalsUseTheScaleFloor) {
  const auto q = symmetric_int8(as_row({0x1p-149f, 0x1p-140f}), Granularity::tensor());
  EXPECT_THAT(q->scales, ElementsAre(0x1p-126f));
  EXPECT_THAT(reported_codes(*q), ElementsAre(0, 0));
}

TEST(AsymmetricInt8, AConstantBlockIsReproducedNotCollapsed) {
  for (const float value : {0.3f, -0.3f, 1e30f}) {
    const auto q = asymmetric_int8(as_row({value, value}), Granularity::tensor());
    EXPECT_LE(std::fabs(q->dequantized(0, 0) - value), q->scales[0] / 2 + 0x1p-23 * std::fabs(value));
  }
}

TEST(AsymmetricInt8, ZeroIsAlwaysExact) {
  const auto q = asymmetric_int8(as_row({5.0f, 0.0f, 7.0f}), Granularity::tensor());
  EXPECT_EQ(q->dequantized(0, 1), 0.0);
}

TEST(Refusals, NameTheElement) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.0f, 1.0f, 2.0f, inf};
  const auto q = symmetric_int8({x.data(), 2, 2, 2}, Granularity::tensor());
  ASSERT_FALSE(q);
  EXPECT_THAT(q.error().reason, HasSubstr("row 1, column 1 is inf"));
  EXPECT_FALSE(asymmetric_int8(as_row({std::nanf("")}), Granularity::tensor()));
}

TEST(Refusals, ARangeBeyondFp32) {
  const auto q = asymmetric_int8(as_row({-3e38f, 3e38f}), Granularity::tensor());
  ASSERT_FALSE(q);
  EXPECT_THAT(q.error().reason, HasSubstr("overflows FP32"));
}

}  // namespace
}  // namespace narrowgate::quantize
