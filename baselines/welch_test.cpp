// Welch's test against values of scipy 1.17.1: stats.ttest_ind(a, b, equal_var=False) and 2·stats.t.sf(|t|, df).
#include "baselines/welch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace narrowgate {
namespace {

TEST(Welch, FifteenAgainstFifteen) {
  const std::vector<double> a{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
  const std::vector<double> b{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4};
  const WelchResult result = welch(a, b);
  EXPECT_NEAR(result.t, -2.8529548701715215, 1e-12);
  EXPECT_NEAR(result.degrees_of_freedom, 27.88730398842012, 1e-10);
  EXPECT_NEAR(result.p, 0.008071938172194903, 1e-12);
}

TEST(Welch, UnequalSizesAndVariances) {
  const WelchResult result = welch(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{2, 4, 6, 8, 10, 12});
  EXPECT_DOUBLE_EQ(result.difference, -4);
  EXPECT_NEAR(result.t, -2.3763541031440183, 1e-12);
  EXPECT_NEAR(result.degrees_of_freedom, 6.972255729794934, 1e-12);
  EXPECT_NEAR(result.p, 0.04928433820673053, 1e-12);
}

TEST(Welch, WithoutVariance) {
  const std::vector<double> ones(5, 1.0);
  const std::vector<double> twos(5, 2.0);
  EXPECT_EQ(welch(ones, ones).p, 1);
  EXPECT_EQ(welch(twos, ones).p, 0);
  EXPECT_EQ(welch(twos, ones).t, std::numeric_limits<double>::infinity());
}

TEST(StudentP, Table) {
  EXPECT_NEAR(student_p(2.0, 10), 0.07338803477074037, 1e-12);
  EXPECT_NEAR(student_p(3.169, 10), 0.010004633364384856, 1e-12);
  EXPECT_NEAR(student_p(12.706, 1), 0.05000080235813319, 1e-12);
  EXPECT_NEAR(student_p(1.96, 1e6), 0.04999606758526985, 1e-9);
  EXPECT_NEAR(student_p(-4.5, 4.3), 0.009151543880880884, 1e-12);
  EXPECT_NEAR(student_p(40, 8), 1.6785718879145792e-10, 1e-20);
  EXPECT_EQ(student_p(0, 5), 1);
}

TEST(StudentP, NaNIsNoEvidence) {
  EXPECT_EQ(student_p(std::nan(""), 5), 1);
  EXPECT_EQ(student_p(3, std::nan("")), 1);
}

}  // namespace
}  // namespace narrowgate
