// Patterns on built residuals: each bug of a few numbers is recognized, and noise is not.
#include "suites/check/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace narrowgate::check {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class T>
Matrix<T> matrix(std::initializer_list<std::initializer_list<T>> rows) {
  Matrix<T> x(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows.begin()->size()));
  T* next = x.data();
  for (const auto& row : rows) next = std::copy(row.begin(), row.end(), next);
  return x;
}

Matrix<double> ones(std::int64_t rows, std::int64_t cols) {
  Matrix<double> x(rows, cols);
  std::fill(x.flat().begin(), x.flat().end(), 1.0);
  return x;
}

const Matrix<double> kAnswer = matrix<double>({{1, 2}, {3, 4}, {5, -6}, {7, 8}});

TEST(Explained, IsOneForTheOutputItselfAndZeroForTheAnswer) {
  const Matrix<float> c = matrix<float>({{2, 2}, {3, 4}, {5, -6}, {7, 9}});
  const Matrix<double> same = matrix<double>({{2, 2}, {3, 4}, {5, -6}, {7, 9}});
  const Matrix<double> half = matrix<double>({{2, 2}, {3, 4}, {5, -6}, {7, 8}});
  EXPECT_EQ(explained(c, kAnswer, same, ones(4, 2), 0), 1.0);
  EXPECT_EQ(explained(c, kAnswer, half, ones(4, 2), 0), 0.5);
  EXPECT_EQ(explained(c, kAnswer, kAnswer, ones(4, 2), 0), 0.0);
}

TEST(Explained, AFitWithAsManyParametersAsElementsExplainsNothing) {
  const Matrix<float> c = matrix<float>({{2, 5}});
  EXPECT_EQ(explained(c, matrix<double>({{1.0, 2.0}}), matrix<double>({{2.0, 5.0}}), ones(1, 2), 2), 0.0);
}

TEST(Explained, LeavesOutWhatHasNoWeight) {
  const Matrix<float> c = matrix<float>({{100, 3}, {3, 4}, {5, -6}, {7, 8}});
  Matrix<double> weight = ones(4, 2);
  weight(0, 0) = 0.0;
  EXPECT_EQ(distance(c, kAnswer, weight), 1.0);
}

TEST(Ratios, OfColumnsAndRows) {
  const Matrix<float> by_column = matrix<float>({{2, 1}, {6, 2}, {10, -3}, {14, 4}});
  EXPECT_THAT(fit_ratios(by_column, kAnswer, ones(4, 2), Axis::kColumns).ratios, ElementsAre(2.0, 0.5));
  const Matrix<float> by_row = matrix<float>({{1, 2}, {6, 8}, {-5, 6}, {7, 8}});
  EXPECT_THAT(fit_ratios(by_row, kAnswer, ones(4, 2), Axis::kRows).ratios, ElementsAre(1.0, 2.0, -1.0, 1.0));
}

TEST(Offsets, OfColumns) {
  const Matrix<float> c = matrix<float>({{11, 1}, {13, 3}, {15, -7}, {17, 7}});
  const OffsetFit fit = fit_offsets(c, kAnswer, ones(4, 2));
  EXPECT_THAT(fit.offsets, ElementsAre(10.0, -1.0));
  EXPECT_EQ(explained(c, kAnswer, fit.candidate, ones(4, 2), 2), 1.0);
}

TEST(Rows, ThatRepeatTheRowBefore) {
  EXPECT_THAT(repeated_rows(matrix<float>({{1, 2}, {1, 2}, {3, 4}, {3, 4}})), ElementsAre(1, 3));
  EXPECT_THAT(repeated_rows(matrix<float>({{1, 2}, {2, 1}})), IsEmpty());
}

TEST(Transposed, ReadsTheMemoryOfAnNByMMatrix) {
  const Matrix<float> c = matrix<float>({{1, 4}, {2, 5}, {3, 6}});  // the memory 1 4 2 5 3 6 of a 2×3 matrix
  const Matrix<double> read = read_transposed(c, {0, 2});
  EXPECT_THAT(read.flat(), ElementsAre(1.0, 5.0, 2.0, 6.0));
}

TEST(Strip, CountsAndLists) {
  EXPECT_EQ(strip("dead channel", "dead channels", {}), "");
  EXPECT_EQ(strip("dead channel", "dead channels", {17}), "1 dead channel: 17");
  EXPECT_EQ(strip("dead channel", "dead channels", {17, 40, 511}), "3 dead channels: 17, 40, 511");
  EXPECT_EQ(strip("x", "xs", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), "11 xs: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …");
}

}  // namespace
}  // namespace narrowgate::check
