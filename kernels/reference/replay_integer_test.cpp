// Integers replayed, against worked examples and, bit for bit, against the quantizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/calibration.h"
#include "kernels/quantize/integer.h"
#include "kernels/reference/replay_inputs.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using formats::kInt2;
using formats::kInt4;
using formats::kInt8;
using formats::kUint2;
using formats::kUint4;
using formats::kUint8;
using quantize::as_row;
using quantize::reported_codes;
using quantize::ScaleStorage;
using testing::ElementsAre;

constexpr Granularity kTensor = Granularity::tensor();
// The largest scale that each storage type holds, and for FP32 a range that does not overflow.
constexpr float kLimits[] = {0x1.8p126f, 65504.0f};
constexpr ScaleStorage kStorages[] = {ScaleStorage::fp32, ScaleStorage::fp16};

TEST(NearestEven, Ties) {
  EXPECT_EQ(nearest_even(0.5), 0.0);
  EXPECT_EQ(nearest_even(1.5), 2.0);
  EXPECT_EQ(nearest_even(2.5), 2.0);
  EXPECT_EQ(nearest_even(-0.5), 0.0);
  EXPECT_EQ(nearest_even(-3.5), -4.0);
  EXPECT_EQ(nearest_even(0x1.fffffffffffffp-2), 0.0);  // just below a half
  EXPECT_EQ(nearest_even(2.5 + 0x1p-51), 3.0);
  EXPECT_EQ(nearest_even(-0x1.8p60), -0x1.8p60);
}

TEST(ReplayInt8, WorkedExample) {
  const std::vector<float> x = {-0.7f, -0.15f, 0.0f, 0.4f, 2.0f};
  const QuantizedMatrix q = replay_int8(as_row(x), kTensor, IntegerRange::kAsymmetric);
  EXPECT_THAT(q.codes.flat(), ElementsAre(-128, 52 - 128, 66 - 128, 104 - 128, 127));
  EXPECT_THAT(q.zero_points, ElementsAre(66 - 128));
}

TEST(ReplaySymmetric, WorkedExamples) {
  const std::vector<float> x = {-0.7f, -0.15f, 0.0f, 0.4f, 2.0f};
  const QuantizedMatrix q = replay_symmetric_integer(as_row(x), kInt4, kTensor, ScaleStorage::fp32);
  EXPECT_THAT(q.scales, ElementsAre(0x1.24924ap-2f));  // 2/7
  EXPECT_THAT(q.codes.flat(), ElementsAre(-2, -1, 0, 1, 7));
  const std::vector<float> ties = {127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f};
  EXPECT_THAT(replay_symmetric_integer(as_row(ties), kInt8, kTensor, ScaleStorage::fp32).codes.flat(),
              ElementsAre(127, 0, 2, 2, 0, -2, -2));
  const std::vector<float> two_bits = {1.0f, 0.5f, -0.5f, 0.6f};
  EXPECT_THAT(replay_symmetric_integer(as_row(two_bits), kInt2, kTensor, ScaleStorage::fp16).codes.flat(),
              ElementsAre(1, 0, 0, 1));
}

TEST(ReplaySymmetric, ScalesInFp16AndTheirFloors) {
  const QuantizedMatrix q = replay_symmetric_integer(as_row({0.7f}), kInt4, kTensor, ScaleStorage::fp16);
  EXPECT_THAT(q.scales, ElementsAre(0.0999755859375f));
  const auto scale_of_zero = [](ScaleStorage storage) {
    return replay_symmetric_integer(as_row({0.0f}), kInt4, kTensor, storage).scales[0];
  };
  EXPECT_EQ(scale_of_zero(ScaleStorage::fp16), 0x1p-14f);
  EXPECT_EQ(scale_of_zero(ScaleStorage::fp32), 0x1p-126f);
}

TEST(ReplaySymmetric, GivenRangesClamp) {
  const float ranges[] = {3.5f};
  const QuantizedMatrix q =
      replay_symmetric_integer_with_ranges(as_row({4.0f, 1.0f, -9.0f}), kInt4, kTensor, ScaleStorage::fp32, ranges);
  EXPECT_THAT(q.scales, ElementsAre(0.5f));
  EXPECT_THAT(q.codes.flat(), ElementsAre(7, 2, -7));
}

TEST(ReplayAsymmetric, WorkedExamples) {
  const std::vector<float> x = {-0.5f, 0.0f, 0.26f, 1.0f};
  const QuantizedMatrix q = replay_asymmetric_integer(as_row(x), kUint4, kTensor, ScaleStorage::fp32);
  EXPECT_THAT(q.scales, ElementsAre(0.1f));
  EXPECT_THAT(q.zero_points, ElementsAre(5));
  EXPECT_THAT(q.codes.flat(), ElementsAre(0, 5, 8, 15));
  const std::vector<float> two_bits = {-1.0f, 0.0f, 0.5f, 2.0f};
  const QuantizedMatrix q2 = replay_asymmetric_integer(as_row(two_bits), kUint2, kTensor, ScaleStorage::fp16);
  EXPECT_THAT(q2.zero_points, ElementsAre(1));
  EXPECT_THAT(q2.codes.flat(), ElementsAre(0, 1, 1, 3));
}

TEST(ReplayTernaryAndBinary, WorkedExamples) {
  const std::vector<float> x = {0.5f, -1.5f, -0.0f, 2.0f};
  const QuantizedMatrix three = replay_ternary(as_row(x), kTensor, ScaleStorage::fp32);
  EXPECT_THAT(three.scales, ElementsAre(1.0f));
  EXPECT_THAT(three.codes.flat(), ElementsAre(0, -1, 0, 1));  // 1.5 and 2 clamp
  const QuantizedMatrix two = replay_binary(as_row(x), kTensor, ScaleStorage::fp32);
  EXPECT_THAT(two.scales, ElementsAre(1.0f));
  EXPECT_THAT(two.codes.flat(), ElementsAre(1, -1, 1, 1));
}

TEST(ReplayPercentile, NearestRank) {
  const std::vector<float> x = {-5.0f, 1.0f, 2.0f, -3.0f, 4.0f};
  EXPECT_EQ(replay_percentile_range(x, 1.0), 5.0f);
  EXPECT_EQ(replay_percentile_range(x, 0.8), 4.0f);
  EXPECT_EQ(replay_percentile_range(x, 0.81), 5.0f);
  EXPECT_EQ(replay_percentile_range(x, 0.01), 1.0f);
}

// ---- Bit for bit ----

TEST(ReplayInt8, EqualsTheQuantizers) {
  for (const HardInput& input : hard_inputs(0x1.8p126f)) {
    for (const Granularity granularity : kHardGranularities) {
      const View<const float> x = input.x.view();
      ASSERT_EQ(first_difference(*quantize::symmetric_int8(x, granularity),
                                 replay_int8(x, granularity, IntegerRange::kSymmetric)), "") << input.name;
      ASSERT_EQ(first_difference(*quantize::asymmetric_int8(x, granularity),
                                 replay_int8(x, granularity, IntegerRange::kAsymmetric)), "") << input.name;
    }
  }
}

template <class Compare>
void for_each_integer_case(const Compare& compare) {
  for (std::size_t i = 0; i < std::size(kStorages); ++i) {
    for (const HardInput& input : hard_inputs(kLimits[i])) {
      SCOPED_TRACE(input.name);
      for (const Granularity granularity : kHardGranularities) compare(input.x.view(), granularity, kStorages[i]);
    }
  }
}

TEST(ReplaySymmetric, EqualsTheQuantizer) {
  for_each_integer_case([](View<const float> x, Granularity granularity, ScaleStorage storage) {
    for (const formats::Format* element : {&kInt8, &kInt4, &kInt2}) {
      ASSERT_EQ(first_difference(*quantize::symmetric_integer(x, *element, granularity, storage),
                                 replay_symmetric_integer(x, *element, granularity, storage)), "") << element->name;
    }
  });
}

TEST(ReplayAsymmetric, EqualsTheQuantizer) {
  for_each_integer_case([](View<const float> x, Granularity granularity, ScaleStorage storage) {
    for (const formats::Format* element : {&kUint8, &kUint4, &kUint2}) {
      ASSERT_EQ(first_difference(*quantize::asymmetric_integer(x, *element, granularity, storage),
                                 replay_asymmetric_integer(x, *element, granularity, storage)), "") << element->name;
    }
  });
}

TEST(ReplayTernaryAndBinary, EqualTheQuantizers) {
  for_each_integer_case([](View<const float> x, Granularity granularity, ScaleStorage storage) {
    const auto fast_ternary = quantize::ternary(x, granularity, storage);
    const auto fast_binary = quantize::binary(x, granularity, storage);
    ASSERT_EQ(first_difference(*fast_ternary, replay_ternary(x, granularity, storage)), "");
    ASSERT_EQ(first_difference(*fast_binary, replay_binary(x, granularity, storage)), "");
  });
}

TEST(ReplayPercentile, EqualsTheQuantizersRangesAndCodes) {
  for (const HardInput& input : hard_inputs(std::numeric_limits<float>::max())) {
    for (const double p : {0.0001, 0.25, 0.5, 0.99, 0.9999, 1.0}) {
      const float range = quantize::percentile_range(input.x.flat(), p);
      ASSERT_EQ(replay_percentile_range(input.x.flat(), p), range) << input.name << ' ' << p;
      const float ranges[] = {range};
      ASSERT_EQ(first_difference(*quantize::symmetric_integer_with_ranges(input.x.view(), kInt8, kTensor,
                                                                          ScaleStorage::fp32, ranges),
                                 replay_symmetric_integer_with_ranges(input.x.view(), kInt8, kTensor,
                                                                      ScaleStorage::fp32, ranges)), "") << input.name;
    }
  }
}

TEST(ReplaySymmetric, OfAViewWithAnOffsetAndALongerRow) {
  const Matrix<float> whole = quantize::gaussian_matrix(20, 30);
  const View<const float> part = {&whole(1, 3), 15, 21, 30};
  ASSERT_EQ(first_difference(*quantize::symmetric_integer(part, kInt4, {8, 1}, ScaleStorage::fp16),
                             replay_symmetric_integer(part, kInt4, {8, 1}, ScaleStorage::fp16)), "");
}

TEST(ReplayIntegers, PlantedChangesAreFound) {
  const Matrix<float> x = quantize::gaussian_matrix(kHardRows, kHardCols);
  const float ranges[] = {2.5f};
  expect_planted_changes_found(replay_int8(x.view(), kTensor, IntegerRange::kAsymmetric));
  expect_planted_changes_found(replay_symmetric_integer(x.view(), kInt4, {32, 1}, ScaleStorage::fp16));
  expect_planted_changes_found(replay_asymmetric_integer(x.view(), kUint2, {32, 1}, ScaleStorage::fp16));
  expect_planted_changes_found(replay_ternary(x.view(), kTensor, ScaleStorage::fp32));
  expect_planted_changes_found(replay_binary(x.view(), {32, 1}, ScaleStorage::fp16));
  expect_planted_changes_found(
      replay_symmetric_integer_with_ranges(x.view(), kInt8, kTensor, ScaleStorage::fp32, ranges));
}

}  // namespace
}  // namespace narrowgate::reference
