// Floating codes replayed: FP16, FP8, NVFP4 and MX against worked examples and, bit for bit, against the quantizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/span_codec.h"
#include "kernels/quantize/mx_mse.h"
#include "kernels/quantize/nvfp4.h"
#include "kernels/quantize/scaled_float.h"
#include "kernels/reference/replay_inputs.h"

namespace narrowgate::reference {
namespace {

using formats::kE2m1;
using formats::kE4m3;
using formats::kE5m2;
using formats::kMxint8;
using quantize::as_row;
using quantize::BlockAxis;
using quantize::MxRule;
using testing::Each;
using testing::ElementsAre;

constexpr float kLargest = std::numeric_limits<float>::max();
const formats::Format* const kMxElements[] = {&kE4m3, &kE5m2, &formats::kE2m3, &formats::kE3m2, &kE2m1, &kMxint8};
constexpr MxRule kRules[] = {MxRule::floor, MxRule::ceil, MxRule::rceil, MxRule::even};
constexpr BlockAxis kAxes[] = {BlockAxis::rows, BlockAxis::cols};

std::vector<int> bit_patterns(const QuantizedMatrix& q) {
  std::vector<int> patterns;
  for (const std::int8_t code : q.codes.flat()) patterns.push_back(static_cast<std::uint8_t>(code));
  return patterns;
}

TEST(ReplayFp16, WorkedExamples) {
  const std::vector<float> x = {1 + 0x1p-11f, 1 + 3 * 0x1p-11f, 65504.0f, 0x1p-25f, 0x1.8p-25f, 0.1f};
  EXPECT_THAT(replay_fp16(as_row(x)).flat(),
              ElementsAre(1.0f, 1 + 0x1p-9f, 65504.0f, 0.0f, 0x1p-24f, 0.0999755859375f));
  EXPECT_TRUE(std::signbit(replay_fp16(as_row({-0.0f}))(0, 0)));
}

TEST(ReplayScaledFloat, WorkedExamples) {
  const QuantizedMatrix q = replay_scaled_float(as_row({448.0f, 17.0f, -1.0f}), kE4m3, Granularity::tensor());
  EXPECT_THAT(q.scales, ElementsAre(1.0f));
  EXPECT_THAT(bit_patterns(q), ElementsAre(0x7E, 0x58, 0xB8));  // 17 is a tie of 16 and 18
  const QuantizedMatrix wide = replay_scaled_float(as_row({57344.0f, 1.0f, -0.0f}), kE5m2, Granularity::tensor());
  EXPECT_THAT(bit_patterns(wide), ElementsAre(0x7B, 0x3C, 0x80));
  EXPECT_THAT(replay_scaled_float(as_row({0.0f}), kE4m3, Granularity::tensor()).scales, ElementsAre(0x1p-126f));
}

TEST(ReplayNvfp4, WorkedExample) {
  std::vector<float> x(48, 0.0f);
  x[0] = 2688.0f;
  x[16] = 3.6f;
  const QuantizedMatrix q = replay_nvfp4(as_row(x), BlockAxis::cols);
  EXPECT_EQ(q.tensor_scale, 1.0f);
  EXPECT_THAT(q.scales, ElementsAre(448.0f, 0.625f, 0x1p-9f));
  EXPECT_EQ(q.codes(0, 0), 7);
  EXPECT_EQ(q.codes(0, 16), 7);
  EXPECT_EQ(replay_nvfp4(as_row({0.0f}), BlockAxis::cols).tensor_scale, 0x1p-126f);
}

float scale_of(float amax, const formats::Format& element, MxRule rule) {
  return replay_mx(as_row({amax}), element, rule, BlockAxis::cols).scales[0];
}

TEST(ReplayMx, TheFourRulesByHand) {
  const auto scales_of = [](float amax) {
    return std::vector{scale_of(amax, kE2m1, MxRule::floor), scale_of(amax, kE2m1, MxRule::ceil),
                       scale_of(amax, kE2m1, MxRule::rceil), scale_of(amax, kE2m1, MxRule::even)};
  };
  EXPECT_THAT(scales_of(4.0f), ElementsAre(1.0f, 1.0f, 1.0f, 1.0f));
  EXPECT_THAT(scales_of(6.0f), ElementsAre(1.0f, 2.0f, 1.0f, 1.0f));
  EXPECT_THAT(scales_of(6.5f), ElementsAre(1.0f, 2.0f, 2.0f, 1.0f));
  EXPECT_THAT(scales_of(7.0f), ElementsAre(1.0f, 2.0f, 2.0f, 2.0f));
  EXPECT_THAT(scales_of(0.0f), Each(0x1p-127f));
  EXPECT_EQ(scale_of(kLargest, kMxint8, MxRule::even), 0x1p127f);
}

// Half a step of MXINT8 in the lowest binade of FP32, which its subnormal numbers share, is 2⁻¹³³.
TEST(ReplayMx, EvenAmongSubnormals) {
  const float at_half = 0x1p-126f - 0x1p-133f;
  EXPECT_EQ(scale_of(at_half, kMxint8, MxRule::even), 0x1p-126f);
  EXPECT_EQ(scale_of(std::nextafter(at_half, 0.0f), kMxint8, MxRule::even), 0x1p-127f);
}

TEST(ReplayMx, CodesByHand) {
  const QuantizedMatrix q = replay_mx(as_row({6.5f, -0.25f, 2.5f, -0.0f}), kE2m1, MxRule::floor, BlockAxis::cols);
  EXPECT_THAT(bit_patterns(q), ElementsAre(7, 8, 4, 8));
  const QuantizedMatrix integers =
      replay_mx(as_row({1.999f, -0.5f, 0x1p-7f, 0x1.8p-6f}), kMxint8, MxRule::floor, BlockAxis::cols);
  EXPECT_THAT(integers.codes.flat(), ElementsAre(127, -32, 0, 2));  // the first saturates, the last two are ties
}

TEST(ReplayMxMse, ByHand) {
  const QuantizedMatrix q = replay_mx_mse(as_row({7.0f, 0.5f, 1.5f}), kE2m1, BlockAxis::cols);
  EXPECT_THAT(q.scales, ElementsAre(1.0f));
  EXPECT_THAT(q.codes.flat(), ElementsAre(7, 1, 3));
  EXPECT_THAT(replay_mx_mse(as_row({7.0f}), kE2m1, BlockAxis::cols).scales, ElementsAre(2.0f));
}

// ---- Bit for bit ----

TEST(ReplayFp16, EqualsTheCodec) {
  for (const HardInput& input : hard_inputs(65504.0f)) {
    std::vector<std::uint16_t> codes(static_cast<std::size_t>(input.x.size()));
    formats::encode_span(formats::kFp16, input.x.flat(), codes);
    Matrix<float> decoded(input.x.rows(), input.x.cols());
    formats::decode_span(formats::kFp16, codes, decoded.flat());
    ASSERT_EQ(first_difference(as_values(decoded), as_values(replay_fp16(input.x.view()))), "") << input.name;
  }
}

TEST(ReplayScaledFloat, EqualsTheQuantizer) {
  for (const HardInput& input : hard_inputs(kLargest)) {
    for (const formats::Format* element : {&kE4m3, &kE5m2}) {
      for (const Granularity granularity : kHardGranularities) {
        ASSERT_EQ(first_difference(*quantize::scaled_float(input.x.view(), *element, granularity),
                                   replay_scaled_float(input.x.view(), *element, granularity)), "")
            << input.name << ' ' << element->name;
      }
    }
  }
}

TEST(ReplayNvfp4, EqualsTheQuantizer) {
  for (const HardInput& input : hard_inputs(kLargest)) {
    for (const BlockAxis axis : kAxes) {
      ASSERT_EQ(first_difference(*quantize::nvfp4(input.x.view(), axis), replay_nvfp4(input.x.view(), axis)), "")
          << input.name;
    }
  }
}

// Block maxima a few steps around 6·s_T·t, where t is a tie of E4M3: there the order of the two divisions decides.
TEST(ReplayNvfp4, ScalesAroundTiesEqualTheQuantizers) {
  constexpr int kNeighbours = 9;
  for (const float largest : {1.0f, 0.7f, 3.3e5f}) {
    Matrix<float> x(126 * kNeighbours + 1, 1);
    x(0, 0) = largest;
    for (std::uint32_t code = 0; code < 126; ++code) {
      const float tie = (formats::decode(kE4m3, code) + formats::decode(kE4m3, code + 1)) / 2;
      const auto middle = std::bit_cast<std::int32_t>(tie * 6.0f * (largest / 2688.0f));
      for (int i = 0; i < kNeighbours; ++i) {
        x(1 + static_cast<int>(code) * kNeighbours + i, 0) = std::bit_cast<float>(middle + i - kNeighbours / 2);
      }
    }
    const auto fast = quantize::nvfp4(x.view(), BlockAxis::cols);
    ASSERT_EQ(first_difference(*fast, replay_nvfp4(x.view(), BlockAxis::cols)), "") << largest;
  }
}

TEST(ReplayMx, EqualsTheQuantizer) {
  for (const HardInput& input : hard_inputs(kLargest)) {
    for (const formats::Format* element : kMxElements) {
      for (const MxRule rule : kRules) {
        for (const BlockAxis axis : kAxes) {
          ASSERT_EQ(first_difference(*quantize::mx(input.x.view(), *element, rule, axis),
                                     replay_mx(input.x.view(), *element, rule, axis)), "")
              << input.name << ' ' << element->name << ' ' << static_cast<int>(rule);
        }
      }
    }
  }
}

// One element a block, so that every scale is that of a magnitude of its own: ends and middles of all binades.
TEST(ReplayMx, ScalesOfAllBinadesEqualTheQuantizers) {
  Matrix<float> x(3 * 4 * 255, 1);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::uint32_t offsets[] = {0u, 1u, 0x1FFFFFu};
    x.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i / 3) * 0x200000u + offsets[i % 3]);
  }
  const View<const float> row = {x.data(), x.size(), 1, 1};
  for (const formats::Format* element : kMxElements) {
    for (const MxRule rule : kRules) {
      ASSERT_EQ(first_difference(*quantize::mx(row, *element, rule, BlockAxis::cols),
                                 replay_mx(row, *element, rule, BlockAxis::cols)), "") << element->name;
    }
    ASSERT_EQ(first_difference(*quantize::mx_mse(row, *element, BlockAxis::cols),
                               replay_mx_mse(row, *element, BlockAxis::cols)), "") << element->name;
  }
}

TEST(ReplayMxMse, EqualsTheQuantizer) {
  for (const HardInput& input : hard_inputs(kLargest)) {
    for (const formats::Format* element : kMxElements) {
      for (const BlockAxis axis : kAxes) {
        ASSERT_EQ(first_difference(*quantize::mx_mse(input.x.view(), *element, axis),
                                   replay_mx_mse(input.x.view(), *element, axis)), "")
            << input.name << ' ' << element->name;
      }
    }
  }
}

TEST(ReplayFloats, PlantedChangesAreFound) {
  const Matrix<float> x = quantize::gaussian_matrix(kHardRows, kHardCols);
  expect_planted_changes_found(as_values(replay_fp16(x.view())));
  expect_planted_changes_found(replay_scaled_float(x.view(), kE4m3, {128, 128}));
  expect_planted_changes_found(replay_nvfp4(x.view(), BlockAxis::rows));
  expect_planted_changes_found(replay_mx(x.view(), kE2m1, MxRule::rceil, BlockAxis::rows));
  expect_planted_changes_found(replay_mx_mse(x.view(), kE2m1, BlockAxis::cols));
}

}  // namespace
}  // namespace narrowgate::reference
