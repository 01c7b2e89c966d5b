// MX scales of least squared error: blocks worked by hand, never worse than rceil, and the ends of the range.
#include "kernels/quantize/mx_mse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

using formats::kE2m1;
using formats::kMxint8;
using testing::ElementsAre;

const formats::Format* const kElements[] = {&formats::kE4m3, &formats::kE5m2, &formats::kE2m3,
                                            &formats::kE3m2, &kE2m1,          &kMxint8};

// X = 2 gives 8, 0 and 2: errors 1, ¼ and ¼. X = 1 saturates 7 at 6 and has the others: error 1. X = ½ gives 3.
TEST(MxMse, ClipsWhenTheRestGainsMore) {
  const auto q = mx_mse(as_row({7.0f, 0.5f, 1.5f}), kE2m1, BlockAxis::cols);
  EXPECT_THAT(q->scales, ElementsAre(1.0f));
  EXPECT_THAT(q->codes.flat(), ElementsAre(7, 1, 3));
  EXPECT_EQ(q->scale_format, &formats::kE8m0);
}

// 8 and 6 are as far from 7; the larger scale is judged first.
TEST(MxMse, OfEqualErrorsTheFirstWins) {
  EXPECT_THAT(mx_mse(as_row({7.0f}), kE2m1, BlockAxis::cols)->scales, ElementsAre(2.0f));
}

TEST(MxMse, WithoutErrorItIsRceil) {
  EXPECT_THAT(mx_mse(as_row({6.0f, -4.0f, 0.5f}), kE2m1, BlockAxis::cols)->scales, ElementsAre(1.0f));
  EXPECT_THAT(mx_mse(as_row({448.0f, 1.0f}), formats::kE4m3, BlockAxis::cols)->scales, ElementsAre(1.0f));
}

double block_error(View<const float> x, const QuantizedMatrix& q, std::int64_t first, std::int64_t col) {
  const std::int64_t rows = std::min<std::int64_t>(kMxBlock, x.rows - first);
  double sum = 0;
  for (std::int64_t row = first; row < first + rows; ++row) {
    const double difference = x(row, col) - q.dequantized(row, col);
    sum += difference * difference;
  }
  return sum;
}

TEST(MxMse, NoBlockIsWorseThanRceilAndSomeAreBetter) {
  const Matrix<float> x = gaussian_matrix(100, 40);
  for (const formats::Format* element : kElements) {
    const auto clipped = mx_mse(x.view(), *element, BlockAxis::rows);
    const auto plain = mx(x.view(), *element, MxRule::rceil, BlockAxis::rows);
    for (std::int64_t first = 0; first < x.rows(); first += kMxBlock) {
      for (std::int64_t col = 0; col < x.cols(); ++col) {
        ASSERT_LE(block_error(x.view(), *clipped, first, col), block_error(x.view(), *plain, first, col));
      }
    }
    if (element == &kE2m1) {
      EXPECT_LT(squared_error(x.view(), *clipped), 0.99 * squared_error(x.view(), *plain));
    }
  }
}

TEST(MxMse, BothAxesAndATail) {
  std::vector<float> x(40, 0.5f);
  x[3] = 7.0f;
  x[35] = 48.0f;
  const auto by_cols = mx_mse(as_row(x), kE2m1, BlockAxis::cols);
  const auto by_rows = mx_mse(as_column(x), kE2m1, BlockAxis::rows);
  EXPECT_THAT(by_cols->scales, ElementsAre(1.0f, 8.0f));
  EXPECT_THAT(by_rows->scales, ElementsAre(1.0f, 8.0f));
  EXPECT_EQ(dequantized_values(*by_cols), dequantized_values(*by_rows));
}

TEST(MxMse, ZerosKeepTheSmallestScaleAndTheirSigns) {
  const auto q = mx_mse(as_row({0.0f, -0.0f}), kE2m1, BlockAxis::cols);
  EXPECT_THAT(q->scales, ElementsAre(0x1p-127f));
  EXPECT_EQ(static_cast<std::uint8_t>(q->codes(0, 0)), 0x0u);
  EXPECT_EQ(static_cast<std::uint8_t>(q->codes(0, 1)), 0x8u);
}

// amax is just above 2⁻¹²⁵·127/64, where rceil takes 2⁻¹²⁴, and its quarter is a tie between two subnormal numbers
// that rounds down onto 2⁻¹²⁷·127/64: four candidates.
TEST(MxMse, AQuarterThatRoundsDownGivesAFourthCandidate) {
  const float amax = 127 * 0x1p-131f + 0x1p-148f;
  EXPECT_EQ(mx_exponent(amax, kMxint8, MxRule::rceil), -124);
  EXPECT_EQ(mx_exponent(amax * 0.25f, kMxint8, MxRule::rceil), -127);
  const auto q = mx_mse(as_row({amax}), kMxint8, BlockAxis::cols);
  EXPECT_THAT(q->scales, ElementsAre(0x1p-125f));  // 63.5 steps of 2⁻¹²⁴, 127 of 2⁻¹²⁵, beyond the others
  EXPECT_EQ(q->codes(0, 0), 127);
}

TEST(MxMse, TheLargestNumbersStayFinite) {
  const float largest = std::numeric_limits<float>::max();
  for (const formats::Format* element : kElements) {
    const auto q = mx_mse(as_row({largest, -largest, 0x1p-149f}), *element, BlockAxis::cols);
    EXPECT_NEAR(q->dequantized(0, 0) / largest, 1.0, 0.34) << element->name;
    EXPECT_EQ(q->dequantized(0, 1), -q->dequantized(0, 0)) << element->name;
  }
}

TEST(MxMse, RefusesWhatIsNotFinite) {
  const auto q = mx_mse(as_row({1.0f, std::numeric_limits<float>::infinity()}), kE2m1, BlockAxis::cols);
  ASSERT_FALSE(q);
  EXPECT_THAT(q.error().reason, testing::HasSubstr("row 0, column 1 is inf"));
}

}  // namespace
}  // namespace narrowgate::quantize
