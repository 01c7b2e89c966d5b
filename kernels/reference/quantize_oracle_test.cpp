// The replayed quantizers against worked examples and, bit for bit, against the fast ones.
#include "kernels/reference/quantize_oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/quantize/integer.h"
#include "kernels/quantize/prune24.h"
#include "kernels/random/philox.h"

namespace narrowgate::reference {
namespace {

TEST(ReplayInt8, WorkedExample) {
  const std::vector<float> x = {-0.7f, -0.15f, 0.0f, 0.4f, 2.0f};
  const QuantizedMatrix q = replay_int8({x.data(), 1, 5, 5}, Granularity::tensor(), IntegerRange::kAsymmetric);
  EXPECT_THAT(q.codes.flat(), testing::ElementsAre(-128, 52 - 128, 66 - 128, 104 - 128, 127));
  EXPECT_THAT(q.zero_points, testing::ElementsAre(66 - 128));
}

TEST(ReplayInt8, EqualsTheFastQuantizers) {
  for (const Granularity granularity : {Granularity::tensor(), Granularity::column(), Granularity::row(), Granularity{8, 1}, Granularity{1, 16}}) {
    Matrix<float> x(33, 65);
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x.data()[i] = (uniform_from_word(philox_word({.seed = 3}, i)) - 0.3f) * (i % 37 == 0 ? 8.0f : 1.0f);
    }
    EXPECT_EQ(first_difference(*quantize::symmetric_int8(x.view(), granularity),
                               replay_int8(x.view(), granularity, IntegerRange::kSymmetric)), "");
    EXPECT_EQ(first_difference(*quantize::asymmetric_int8(x.view(), granularity),
                               replay_int8(x.view(), granularity, IntegerRange::kAsymmetric)), "");
  }
}

TEST(ReplayPrune24, EqualsTheFastPruningWithTiesAndTails) {
  for (const std::int64_t rows : {1, 2, 3, 4, 7, 64}) {
    Matrix<float> x(rows, 9);
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x.data()[i] = static_cast<float>(philox_word({.seed = 4}, i) % 5) - 2.0f;  // many ties
    }
    const Matrix<float> replayed = replay_prune24(x.view()), fast = quantize::prune24(x.view());
    EXPECT_TRUE(std::equal(replayed.flat().begin(), replayed.flat().end(), fast.flat().begin())) << rows;
  }
}

TEST(FirstDifference, NamesTheCodeAndTheScale) {
  const std::vector<float> x = {1.0f, 2.0f, 3.0f, 4.0f};
  const QuantizedMatrix expected = replay_int8({x.data(), 2, 2, 2}, Granularity::tensor(), IntegerRange::kSymmetric);
  QuantizedMatrix actual = expected;
  actual.codes(1, 0) = 7;
  EXPECT_EQ(first_difference(actual, expected), "the code at row 1, column 0 is 7 instead of 95");
  actual.scales[0] = 1.0f;
  EXPECT_EQ(first_difference(actual, expected), "scale 0 is 0x1p+0 instead of 0x1.020408p-5");
}

}  // namespace
}  // namespace narrowgate::reference
