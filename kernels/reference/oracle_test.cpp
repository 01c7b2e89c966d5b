// The double oracle against hand-computed products and against the plain triple loop in its own order.
#include "kernels/reference/oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "kernels/random/philox.h"

namespace narrowgate::reference {
namespace {

TEST(Oracle, SmallProductByHand) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};   // 2×3
  const std::vector<float> b = {1, -1, 0, 2, 3, 1};  // 3×2
  const Matrix<double> c = product(View<const float>{a.data(), 2, 3, 3}, View<const float>{b.data(), 3, 2, 2});
  EXPECT_EQ(c(0, 0), 10.0);
  EXPECT_EQ(c(0, 1), 6.0);
  EXPECT_EQ(c(1, 0), 22.0);
  EXPECT_EQ(c(1, 1), 12.0);
}

TEST(Oracle, ACancellingSumKeepsItsSmallTerm) {
  const std::vector<float> a = {1e8f, 1.0f, -1e8f};
  const std::vector<float> b = {1e8f, 1.0f, 1e8f};
  const Matrix<double> c = product(View<const float>{a.data(), 1, 3, 3}, View<const float>{b.data(), 3, 1, 1});
  EXPECT_EQ(c(0, 0), 0.0) << "1e16 + 1 rounds to even in double; the ascending chain must show exactly that";
}

// Every tail of the blocking: rows 6 and 24, panels, words of 256.
TEST(Oracle, EqualsThePlainLoopBitForBitAtEveryTail) {
  for (const Shape shape : {Shape{1, 1, 1}, Shape{5, 7, 3}, Shape{24, 16, 256}, Shape{25, 17, 257}, Shape{49, 70, 513}}) {
    Matrix<float> a(shape.m, shape.k), b(shape.k, shape.n);
    for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = uniform_from_word(philox_word({.seed = 1, .tensor = 0}, i)) - 0.5f;
    for (std::int64_t i = 0; i < b.size(); ++i) b.data()[i] = uniform_from_word(philox_word({.seed = 1, .tensor = 1}, i)) - 0.5f;
    const Matrix<double> c = product(std::as_const(a).view(), std::as_const(b).view());
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t col = 0; col < shape.n; ++col) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < shape.k; ++k) sum = std::fma(double{a(row, k)}, double{b(k, col)}, sum);
        ASSERT_EQ(c(row, col), sum) << row << ", " << col;
      }
    }
  }
}

}  // namespace
}  // namespace narrowgate::reference
