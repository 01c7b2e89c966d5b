// The block quantizer at every granularity and odd shape equals its definition, element by element.
#include "kernels/quantize/block_scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/mx.h"
#include "kernels/quantize/scaled_float.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using formats::kE2m1;
using formats::kE4m3;
using formats::kE5m2;
using testing::ElementsAre;

TEST(ScaledFloat, WorkedExample) {
  const auto q = scaled_float(as_row({-448.0f, 1.0f, 0.3f}), kE4m3, Granularity::tensor());
  EXPECT_THAT(q->scales, ElementsAre(1.0f));
  EXPECT_THAT(dequantized_values(*q), ElementsAre(-448.0, 1.0, 0.3125));
}

TEST(ScaledFloat, AllZeroRowsDecodeToZeroWithAFiniteScale) {
  const std::vector<float> x = {0.0f, -0.0f, 1.0f, 2.0f};
  const auto q = scaled_float({x.data(), 2, 2, 2}, kE4m3, Granularity::row());
  EXPECT_EQ(q->scales[0], 0x1p-126f);
  EXPECT_EQ(q->dequantized(0, 0), 0.0);
}

TEST(ScaledFloat, SubnormalsUseTheScaleFloor) {
  const auto q = scaled_float(as_row({0x1p-149f, 0x1p-140f}), kE4m3, Granularity::tensor());
  EXPECT_THAT(q->scales, ElementsAre(0x1p-126f));
  EXPECT_EQ(q->dequantized(0, 0), 0.0);
}

TEST(ScaledFloat, E5m2NeverReachesInfinity) {
  const float top = std::numeric_limits<float>::max();
  const auto q = scaled_float(as_row({top, -top, std::nextafter(top, 0.0f)}), kE5m2, Granularity::tensor());
  for (const double value : dequantized_values(*q)) EXPECT_TRUE(std::isfinite(value));
}

// Scales and codes of `x` by the definition, one element at a time.
void expect_definition(View<const float> x, const formats::Format& element, Granularity granularity,
                       const QuantizedMatrix& q) {
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      float maximum = 0;
      for (std::int64_t r = 0; r < x.rows; ++r) {
        for (std::int64_t c = 0; c < x.cols; ++c) {
          if (granularity.index(r, c, x.cols) == granularity.index(row, col, x.cols)) {
            maximum = std::max(maximum, std::fabs(x(r, c)));
          }
        }
      }
      const float scale = std::max(maximum / formats::maximum(element), 0x1p-126f);
      ASSERT_EQ(q.scale_at(row, col), scale);
      ASSERT_EQ(static_cast<std::uint8_t>(q.codes(row, col)), *formats::encode(element, x(row, col) / scale));
    }
  }
}

TEST(QuantizeBlocks, EveryGranularityEqualsTheDefinition) {
  const Granularity granularities[] = {{0, 0}, {0, 1}, {1, 0}, {4, 1}, {1, 4}, {5, 3}, {3, 5}, {0, 4}, {7, 0}, {1, 1}};
  for (const auto& [rows, cols] : {std::pair{1, 1}, {17, 5}, {5, 37}, {9, 70}, {40, 1}}) {
    const Matrix<float> padded = gaussian_matrix(rows, cols + 3);
    const View<const float> x = {padded.data(), rows, cols, cols + 3};
    for (const Granularity granularity : granularities) {
      for (const formats::Format* element : {&kE4m3, &kE2m1}) {
        SCOPED_TRACE(testing::Message() << element->name << ' ' << rows << 'x' << cols << " blocks "
                                        << granularity.rows << 'x' << granularity.cols);
        expect_definition(x, *element, granularity, *scaled_float(x, *element, granularity));
      }
    }
  }
}

TEST(QuantizeBlocks, BlocksOf128By128AcrossTiles) {
  const Matrix<float> x = gaussian_matrix(150, 900);
  const auto q = scaled_float(x.view(), kE4m3, {128, 128});
  ASSERT_EQ(q->scales.size(), 2u * 8u);
  for (std::int64_t block_row = 0; block_row < 2; ++block_row) {
    for (std::int64_t block_col = 0; block_col < 8; ++block_col) {
      float maximum = 0;
      for (std::int64_t row = block_row * 128; row < std::min<std::int64_t>(150, block_row * 128 + 128); ++row) {
        for (std::int64_t col = block_col * 128; col < std::min<std::int64_t>(900, block_col * 128 + 128); ++col) {
          maximum = std::max(maximum, std::fabs(x(row, col)));
        }
      }
      EXPECT_EQ(q->scale_at(block_row * 128, block_col * 128), maximum / 448.0f);
    }
  }
}

// The multiplication used for powers of two against a true division, over the whole range of scales.
TEST(QuantizeBlocks, PowerOfTwoScalesDivideExactly) {
  for (int exponent = -127; exponent <= 127; ++exponent) {
    const auto scale = static_cast<float>(formats::power_of_two(exponent));
    std::vector<float> x;
    for (std::uint64_t i = 0; i < 67; ++i) {
      x.push_back(std::bit_cast<float>(philox_word({.seed = 4}, i + 67 * static_cast<std::uint64_t>(exponent + 127)) &
                                       0xBFFFFFFF));
      x.push_back(scale * (gaussian(i) * 0.25f));
    }
    const auto q = quantize_blocks(as_row(x), {kE2m1, Granularity::row(), [scale](std::span<float> s) { s[0] = scale; }});
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(static_cast<std::uint8_t>(q->codes.data()[i]), *formats::encode(kE2m1, x[i] / scale));
    }
  }
}

TEST(QuantizeBlocks, TwoTensorsThroughTheSameOutputDoNotMix) {
  std::vector<std::uint8_t> codes(64, 0xEE);
  std::vector<float> scales(2, 99.0f);
  const ScaleRule rule = fp32_scale_rule(kE4m3);
  const std::vector<float> loud(64, 1000.0f);
  const std::vector<float> quiet(64, 0.5f);
  const BlockScaling scaling{kE4m3, {1, 32}, rule};
  ASSERT_TRUE(quantize_blocks_into(as_row(loud), scaling, codes.data(), scales));
  ASSERT_TRUE(quantize_blocks_into(as_row(quiet), scaling, codes.data(), scales));
  EXPECT_THAT(scales, testing::Each(0.5f / 448.0f));
  EXPECT_THAT(codes, testing::Each(0x7E));
}

TEST(Dequantize, RoundsTheExactValue) {
  const Matrix<float> x = gaussian_matrix(9, 33);
  const auto q = scaled_float(x.view(), kE4m3, Granularity::row());
  const Matrix<float> back = dequantize(*q);
  for (std::int64_t i = 0; i < back.size(); ++i) {
    ASSERT_EQ(back.data()[i], static_cast<float>(q->dequantized(i / 33, i % 33)));
  }
}

TEST(EmptyMatrices, HaveNoCodes) {
  EXPECT_TRUE(scaled_float({nullptr, 0, 5, 5}, kE4m3, Granularity::tensor()));
  EXPECT_TRUE(scaled_float({nullptr, 5, 0, 0}, kE4m3, Granularity::row()));
}

}  // namespace
}  // namespace narrowgate::quantize
