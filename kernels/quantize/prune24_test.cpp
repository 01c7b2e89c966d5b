// 2:4 pruning: which two of four stay, ties, and tails.
#include "kernels/quantize/prune24.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgate::quantize {
namespace {

using testing::ElementsAre;

std::vector<float> pruned_column(const std::vector<float>& column) {
  const Matrix<float> kept = prune24({column.data(), static_cast<std::int64_t>(column.size()), 1, 1});
  return {kept.flat().begin(), kept.flat().end()};
}

TEST(Prune24, KeepsTheTwoLargerMagnitudes) {
  EXPECT_THAT(pruned_column({1, -4, 3, 2}), ElementsAre(0, -4, 3, 0));
}

TEST(Prune24, TiesKeepTheLowerK) {
  EXPECT_THAT(pruned_column({2, -2, 2, 2}), ElementsAre(2, -2, 0, 0));
  EXPECT_THAT(pruned_column({1, 2, 1, 1}), ElementsAre(1, 2, 0, 0));
}

TEST(Prune24, TailsCountAsPaddedWithZeros) {
  EXPECT_THAT(pruned_column({1, 2, 3, 4, 5}), ElementsAre(0, 0, 3, 4, 5));
  EXPECT_THAT(pruned_column({9, 9, 9, 9, 5, -6}), ElementsAre(9, 9, 0, 0, 5, -6));
  EXPECT_THAT(pruned_column({3, 1, 2}), ElementsAre(3, 0, 2));
}

TEST(Prune24, ColumnsAreIndependent) {
  const std::vector<float> b = {1, 4, 2, 3, 3, 2, 4, 1};  // 4×2
  const Matrix<float> kept = prune24({b.data(), 4, 2, 2});
  EXPECT_THAT(std::vector<float>(kept.flat().begin(), kept.flat().end()), ElementsAre(0, 4, 0, 3, 3, 0, 4, 0));
}

}  // namespace
}  // namespace narrowgate::quantize
