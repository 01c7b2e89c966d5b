// The weight quantizers replayed, against groups worked by hand and, bit for bit, against the quantizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/calibration.h"
#include "kernels/reference/replay_inputs.h"

namespace narrowgate::reference {
namespace {

using formats::kInt2;
using formats::kInt4;
using formats::kInt8;
using formats::kUint2;
using formats::kUint4;
using quantize::as_column;
using quantize::as_row;
using testing::Each;
using testing::ElementsAre;

constexpr float kFp16Limit = 65504.0f;
constexpr std::int64_t kGroups[] = {16, 32, 128};
const formats::Format* const kSymmetric[] = {&kInt4, &kInt2};
const formats::Format* const kAsymmetric[] = {&kUint4, &kUint2};
const formats::Format* const kWeights[] = {&kInt4, &kInt2, &kUint4, &kUint2};

// One 8 and twelve 2s in codes −1, 0, 1: a range of 8 loses twelve times 2² = 48. Below 4 the 2s are kept at c, and
// (8 − c)² + 12·(2 − c)² is least at 32/13; on the grid of eighths 5/2 gives 33.25 and 19/8 gives 33.33.
const std::vector<float> kClipped = {8, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

TEST(ReplayMseClip, AGroupWorthClipping) {
  const QuantizedMatrix q = replay_mse_clipped_integer(as_column(kClipped), kInt2, 128);
  EXPECT_THAT(q.scales, ElementsAre(2.5f));
  EXPECT_THAT(q.codes.flat(), Each(1));
  EXPECT_EQ(replay_least_squares_range(kClipped, kInt2), 2.5f);
}

TEST(ReplayMseClip, AGroupBestLeftAlone) {
  const std::vector<float> b = {7.0f, 1.0f, -3.0f};
  EXPECT_THAT(replay_mse_clipped_integer(as_column(b), kInt4, 128).scales, ElementsAre(1.0f));
  EXPECT_EQ(replay_least_squares_range(b, kInt4), 7.0f);
}

// A range of 98256 needs the scale 98256, beyond FP16; the first that fits, 42/64 of it, is better than smaller ones.
TEST(ReplayMseClip, ClipsWhatFp16CannotHold) {
  const std::vector<float> b = {98256.0f};
  const QuantizedMatrix q = replay_mse_clipped_integer(as_column(b), kInt2, 128);
  EXPECT_THAT(q.scales, ElementsAre(64480.0f));
  EXPECT_EQ(first_difference(*quantize::mse_clipped_integer(as_column(b), kInt2, 128), q), "");
}

TEST(ReplayHqq, ExactGroupsStay) {
  const QuantizedMatrix q = replay_hqq(as_column({0.0f, 1.0f, 2.0f, 15.0f}), kUint4, 128);
  EXPECT_THAT(q.scales, ElementsAre(1.0f));
  EXPECT_THAT(q.codes.flat(), ElementsAre(0, 1, 2, 15));
  EXPECT_THAT(q.fractional_zero_points, ElementsAre(0.0f));
  EXPECT_TRUE(q.zero_points.empty());
}

// s = FP16(0.3/15) is a little more than 0.02, so 15·s is a little more than 0.3, an error far below every threshold:
// each step gives z = FP16(15 − 0.3/s).
TEST(ReplayHqq, ASingleWeightIsMetByItsZeroPoint) {
  const QuantizedMatrix q = replay_hqq(as_column({0.3f}), kUint4, 128);
  EXPECT_THAT(q.scales, ElementsAre(0x1.47cp-6f));
  EXPECT_THAT(q.codes.flat(), ElementsAre(15));
  EXPECT_THAT(q.fractional_zero_points, ElementsAre(0x1.a3cp-9f));
}

// Channel 0 sixteen times as loud as channel 1, weights 0.4 and 7, so s = 1 throughout. Of the factors 1, 2, 4, 8 and
// 16 for 0.4, codes 0, 1, 2, 3 and 6 leave errors 0.4, 0.1, 0.1, 0.025 and 0.025: the first of the least is 8.
TEST(ReplayAwq, FiveCandidatesByHand) {
  const quantize::ScaledWeights scaled = replay_awq(as_column({0.4f, 7.0f}), as_row({16.0f, 1.0f}), kInt4, 128);
  EXPECT_THAT(scaled.factors, ElementsAre(8.0f, 1.0f));
  EXPECT_THAT(scaled.weights.scales, ElementsAre(1.0f));
  EXPECT_THAT(scaled.weights.codes.flat(), ElementsAre(3, 7));
}

// H = [1.01 1; 1 1.01] for the last two channels: the error 0.4 of the second weight makes 2.796 of the third.
TEST(ReplayGptq, TheErrorOfOneWeightMovesTheNext) {
  const QuantizedMatrix q = replay_gptq(as_column({7.0f, 2.4f, 2.4f}), as_row({0.0f, 1.0f, 1.0f}), kInt4, 128);
  EXPECT_THAT(q.scales, ElementsAre(1.0f));
  EXPECT_THAT(q.codes.flat(), ElementsAre(7, 2, 3));
}

// ---- Bit for bit ----

TEST(ReplayLeastSquares, EqualsTheRange) {
  for (const HardInput& input : hard_inputs(0x1p60f)) {
    for (const formats::Format* element : {&kInt8, &kInt4, &kInt2}) {
      ASSERT_EQ(replay_least_squares_range(input.x.flat(), *element),
                quantize::least_squares_range(input.x.flat(), *element)) << input.name;
    }
  }
}

TEST(ReplayMseClip, EqualsTheQuantizer) {
  for (const HardInput& input : hard_inputs(kFp16Limit)) {
    for (const formats::Format* element : kSymmetric) {
      for (const std::int64_t group : kGroups) {
        ASSERT_EQ(first_difference(*quantize::mse_clipped_integer(input.x.view(), *element, group),
                                   replay_mse_clipped_integer(input.x.view(), *element, group)), "") << input.name;
      }
    }
  }
}

TEST(ReplayHqq, EqualsTheQuantizer) {
  for (const HardInput& input : hard_inputs(kFp16Limit)) {
    for (const formats::Format* element : kAsymmetric) {
      for (const std::int64_t group : kGroups) {
        ASSERT_EQ(first_difference(*quantize::hqq(input.x.view(), *element, group),
                                   replay_hqq(input.x.view(), *element, group)), "") << input.name;
      }
    }
  }
}

// Activations (samples×k) of channels unlike one another, some of them silent.
Matrix<float> calibration(std::int64_t samples, std::int64_t k) {
  Matrix<float> x = quantize::gaussian_matrix(samples, k, 3);
  for (std::int64_t row = 0; row < samples; ++row) {
    for (std::int64_t j = 0; j < k; ++j) x(row, j) *= j % 11 == 0 ? 0.0f : (j % 7 == 0 ? 300.0f : 1.0f);
  }
  return x;
}

TEST(ReplayAwq, EqualsTheQuantizer) {
  const Matrix<float> x = calibration(24, kHardRows);
  for (const HardInput& input : hard_inputs(kFp16Limit)) {
    for (const formats::Format* element : kWeights) {
      const auto fast = quantize::awq(input.x.view(), x.view(), *element, 32);
      const quantize::ScaledWeights replayed = replay_awq(input.x.view(), x.view(), *element, 32);
      ASSERT_EQ(first_difference(fast->weights, replayed.weights), "") << input.name << ' ' << element->name;
      ASSERT_EQ(first_difference(as_values(fast->factors), as_values(replayed.factors)), "") << input.name;
    }
  }
}

// Factors up to 2¹²⁷ overflow FP32 or the scale's FP16, so some candidates are passed over.
TEST(ReplayAwq, PassesOverTheSameCandidates) {
  for (const HardInput& of_x : hard_inputs(0x1p120f)) {
    const Matrix<float> b = quantize::gaussian_matrix(kHardCols, 6);
    const View<const float> x = {of_x.x.data(), 12, kHardCols, kHardCols};
    for (const formats::Format* element : {&kInt4, &kUint4}) {
      const auto fast = quantize::awq(b.view(), x, *element, 16);
      const quantize::ScaledWeights replayed = replay_awq(b.view(), x, *element, 16);
      ASSERT_EQ(first_difference(fast->weights, replayed.weights), "") << of_x.name << ' ' << element->name;
      ASSERT_EQ(first_difference(as_values(fast->factors), as_values(replayed.factors)), "") << of_x.name;
    }
  }
}

TEST(ReplayGptq, EqualsTheQuantizer) {
  // A tenth of the limit: the errors of others may enlarge a weight.
  for (const HardInput& input : hard_inputs(kFp16Limit / 10)) {
    for (const std::int64_t samples : {5, 200}) {
      const Matrix<float> x = calibration(samples, kHardRows);
      for (const formats::Format* element : kWeights) {
        for (const std::int64_t group : kGroups) {
          ASSERT_EQ(first_difference(*quantize::gptq(input.x.view(), x.view(), *element, group),
                                     replay_gptq(input.x.view(), x.view(), *element, group)), "")
              << input.name << ' ' << element->name << ' ' << samples;
        }
      }
    }
  }
}

TEST(ReplayGptq, EqualsTheQuantizerOnCorrelatedAndSilentActivations) {
  const Matrix<float> b = quantize::gaussian_matrix(300, 7);
  Matrix<float> x = quantize::gaussian_matrix(64, 300, 8);
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t j = 1; j < x.cols(); ++j) x(row, j) = 0.9f * x(row, j - 1) + 0.4f * x(row, j);
  }
  for (const Matrix<float>& activations : {x, Matrix<float>(4, 300)}) {
    for (const formats::Format* element : kWeights) {
      ASSERT_EQ(first_difference(*quantize::gptq(b.view(), activations.view(), *element, 128),
                                 replay_gptq(b.view(), activations.view(), *element, 128)), "") << element->name;
    }
  }
}

TEST(ReplayWeights, PlantedChangesAreFound) {
  const Matrix<float> b = quantize::gaussian_matrix(kHardRows, kHardCols);
  const Matrix<float> x = calibration(16, kHardRows);
  const quantize::ScaledWeights scaled = replay_awq(b.view(), x.view(), kInt4, 32);
  expect_planted_changes_found(replay_mse_clipped_integer(b.view(), kInt4, 32));
  expect_planted_changes_found(replay_hqq(b.view(), kUint4, 32));
  expect_planted_changes_found(scaled.weights);
  expect_planted_changes_found(as_values(scaled.factors));
  expect_planted_changes_found(replay_gptq(b.view(), x.view(), kUint4, 32));
}

}  // namespace
}  // namespace narrowgate::reference
