// INT4, INT2, ternary and binary against worked examples; scales in FP16; constant, one-sided and single groups.
#include "kernels/quantize/group_integer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/block_scaling.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using formats::kInt2;
using formats::kInt4;
using formats::kInt8;
using formats::kUint2;
using formats::kUint4;
using formats::kUint8;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<float> kExample = {-0.7f, -0.15f, 0.0f, 0.4f, 2.0f};

TEST(SymmetricInteger, WorkedExampleInFourBits) {
  const auto q = symmetric_integer(as_row(kExample), kInt4, Granularity::tensor(), ScaleStorage::fp32);
  EXPECT_THAT(q->scales, ElementsAre(2.0f / 7.0f));
  EXPECT_THAT(reported_codes(*q), ElementsAre(-2, -1, 0, 1, 7));
}

TEST(SymmetricInteger, EightBitsAreTheInt8Quantizer) {
  const Matrix<float> x = gaussian_matrix(33, 7);
  const auto general = symmetric_integer(x.view(), kInt8, Granularity::column(), ScaleStorage::fp32);
  const auto special = symmetric_int8(x.view(), Granularity::column());
  EXPECT_EQ(general->scales, special->scales);
  EXPECT_EQ(reported_codes(*general), reported_codes(*special));
}

TEST(AsymmetricInteger, EightBitsAreTheInt8Quantizer) {
  const Matrix<float> x = gaussian_matrix(33, 7);
  const auto general = asymmetric_integer(x.view(), kUint8, Granularity::row(), ScaleStorage::fp32);
  const auto special = asymmetric_int8(x.view(), Granularity::row());
  EXPECT_EQ(general->scales, special->scales);
  EXPECT_EQ(general->zero_points, special->zero_points);
  EXPECT_EQ(reported_codes(*general), reported_codes(*special));
}

TEST(SymmetricInteger, ScalesAreRoundedToFp16) {
  const auto q = symmetric_integer(as_row({0.7f}), kInt4, Granularity::tensor(), ScaleStorage::fp16);
  EXPECT_THAT(q->scales, ElementsAre(0.0999755859375f));  // 0.1 in FP16
  EXPECT_THAT(reported_codes(*q), ElementsAre(7));
}

TEST(StoredScale, RoundsOnceAndHasTheFloorOfItsType) {
  EXPECT_EQ(stored_scale(0.0, ScaleStorage::fp32), 0x1p-126f);
  EXPECT_EQ(stored_scale(0.0, ScaleStorage::fp16), 0x1p-14f);
  EXPECT_EQ(stored_scale(0x1.002001p0, ScaleStorage::fp16), 0x1.004p0f);  // just above a tie: FP32 first would lose it
  EXPECT_EQ(stored_scale(0x1.00200000001p0, ScaleStorage::fp16), 0x1.004p0f);
  EXPECT_EQ(stored_scale(0x1.002p0, ScaleStorage::fp16), 1.0f);
}

TEST(SymmetricInteger, AScaleBeyondFp16IsRefused) {
  const auto q = symmetric_integer(as_row({1e6f}), kInt4, Granularity::tensor(), ScaleStorage::fp16);
  ASSERT_FALSE(q);
  EXPECT_THAT(q.error().reason, HasSubstr("block 0 needs the scale 142857"));
}

TEST(AsymmetricInteger, WorkedExampleInFourBits) {
  // s = 1.5/15 = 0.1, z = rne(0.5/0.1) = 5
  const auto q = asymmetric_integer(as_row({-0.5f, 0.0f, 0.26f, 1.0f}), kUint4, Granularity::tensor(), ScaleStorage::fp32);
  EXPECT_THAT(q->scales, ElementsAre(0.1f));
  EXPECT_THAT(q->zero_points, ElementsAre(5));
  EXPECT_THAT(reported_codes(*q), ElementsAre(0, 5, 8, 15));
}

TEST(AsymmetricInteger, ConstantOneSidedAndSingleGroups) {
  for (const formats::Format* element : {&kUint8, &kUint4, &kUint2}) {
    for (const std::vector<float>& x : {std::vector<float>{0.3f, 0.3f}, {-0.3f, -0.3f}, {5.0f, 6.0f}, {-5.0f, -6.0f},
                                        {0.0f, 0.0f, 3.0f, 0.0f}, {0.0f, 0.0f}, {1e-45f}}) {
      const auto q = asymmetric_integer(as_row(x), *element, Granularity::tensor(), ScaleStorage::fp16);
      ASSERT_TRUE(q);
      const int zero_point = q->zero_points[0] + q->code_offset;
      EXPECT_GE(zero_point, 0);
      EXPECT_LE(zero_point, element->maximum);
      // A rounded FP16 scale may clamp the end code by less than a step.
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_LE(std::fabs(q->dequantized(0, static_cast<std::int64_t>(i)) - x[i]), q->scales[0]) << x[i];
      }
    }
  }
}

TEST(AsymmetricInteger, AConstantGroupOfPointThreeDoesNotCollapse) {
  const auto q = asymmetric_integer(as_row({0.3f, 0.3f}), kUint4, Granularity::tensor(), ScaleStorage::fp16);
  EXPECT_NEAR(q->dequantized(0, 0), 0.3, 1e-3);
}

TEST(Groups, OfManyLengthsWithTails) {
  const Matrix<float> x = gaussian_matrix(100, 3);
  for (const std::int64_t group : {16, 32, 64, 128, 100}) {
    const auto q = symmetric_integer(x.view(), kInt4, {group, 1}, ScaleStorage::fp16);
    EXPECT_EQ(q->scales.size(), static_cast<std::size_t>((100 + group - 1) / group * 3));
    for (std::int64_t row = 0; row < 100; ++row) {
      ASSERT_LE(std::fabs(q->dequantized(row, 1) - x(row, 1)), q->scale_at(row, 1) * 0.51);
    }
  }
}

TEST(Ternary, ScalesByTheMeanMagnitude) {
  const auto q = ternary(as_row({0.5f, -1.5f, 0.1f, 1.9f}), Granularity::tensor(), ScaleStorage::fp32);
  EXPECT_THAT(q->scales, ElementsAre(1.0f));
  EXPECT_THAT(reported_codes(*q), ElementsAre(0, -1, 0, 1));
  EXPECT_THAT(reported_codes(*ternary(as_row({0.0f, -0.0f}), Granularity::tensor(), ScaleStorage::fp32)), ElementsAre(0, 0));
}

TEST(Binary, KeepsSignsOnly) {
  const auto q = binary(as_row({0.5f, -1.5f, -0.0f, 2.0f}), Granularity::tensor(), ScaleStorage::fp32);
  EXPECT_THAT(q->scales, ElementsAre(1.0f));
  EXPECT_THAT(dequantized_values(*q), ElementsAre(1.0, -1.0, 1.0, 1.0));
}

TEST(StorageCost, OfWeightOnlyIntegers) {
  const Matrix<float> x = gaussian_matrix(128, 4);
  EXPECT_EQ(bits_per_weight(*symmetric_integer(x.view(), kInt4, {128, 1}, ScaleStorage::fp16)), 4.125);
  EXPECT_EQ(bits_per_weight(*asymmetric_integer(x.view(), kUint4, {64, 1}, ScaleStorage::fp16)), 4 + (16.0 + 4) / 64);
  EXPECT_EQ(bits_per_weight(*binary(x.view(), {128, 1}, ScaleStorage::fp16)), 1.125);
}

TEST(Refusals, NanInfinityAndOverflowingRanges) {
  EXPECT_FALSE(symmetric_integer(as_row({std::nanf("")}), kInt4, Granularity::tensor(), ScaleStorage::fp16));
  EXPECT_FALSE(ternary(as_row({INFINITY}), Granularity::tensor(), ScaleStorage::fp16));
  EXPECT_THAT(asymmetric_integer(as_row({-3e38f, 3e38f}), kUint4, Granularity::tensor(), ScaleStorage::fp32).error().reason,
              HasSubstr("overflows FP32"));
}

}  // namespace
}  // namespace narrowgate::quantize
