// Metrics on matrices small enough to check by hand.
#include "suites/engine/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/quantize/integer.h"

namespace narrowgate {
namespace {

using testing::ElementsAre;

// A 1×k row of ones of 127 and B so that every scale is 1: a quantization step of 1.
Operands unit_step_operands(std::int64_t columns) {
  Matrix<float> a(2, 1), b(1, columns);
  std::fill(a.flat().begin(), a.flat().end(), 127.0f);
  std::fill(b.flat().begin(), b.flat().end(), 127.0f);
  Operands operands;
  operands.a = *quantize::symmetric_int8(a.view(), Granularity::tensor());
  operands.b = *quantize::symmetric_int8(b.view(), Granularity::column());
  operands.accumulation = Accumulation::integer();
  return operands;
}

struct Example {
  Matrix<float> output{2, 2};
  reference::Expectation expectation;
  Operands operands = unit_step_operands(2);

  // Errors 1, 0 / −3, 0.5 against bounds of 4.
  Example() {
    const std::array values = {11.0f, 20.0f, 27.0f, 40.5f};
    const std::array exact = {10.0, 20.0, 30.0, 40.0};
    std::copy(values.begin(), values.end(), output.data());
    expectation.exact = expectation.bound = Matrix<double>(2, 2);
    std::copy(exact.begin(), exact.end(), expectation.exact.data());
    std::fill(expectation.bound.flat().begin(), expectation.bound.flat().end(), 4.0);
    expectation.k_gate_by_column = {6.0, 1.0};
  }
};

TEST(Measure, ErrorsByHand) {
  const Example example;
  const Metrics metrics = measure(example.output, example.expectation, example.operands);
  EXPECT_EQ(metrics.max_abs_err, 3.0);
  EXPECT_EQ(metrics.worst_row, 1);
  EXPECT_EQ(metrics.worst_col, 0);
  EXPECT_EQ(metrics.mean_abs_err, 4.5 / 4);
  EXPECT_EQ(metrics.rms_err, std::sqrt(10.25 / 4));
  EXPECT_EQ(metrics.max_err_steps, 3.0);
  EXPECT_EQ(metrics.bound_fraction, 0.75);
  EXPECT_EQ(metrics.k_gate_fraction, 0.5);
  EXPECT_EQ(metrics.sqrtk_gate_fraction, 0.5);
  EXPECT_EQ(metrics.zeros, 0);
  EXPECT_FALSE(metrics.first_beyond_bound);
}

TEST(Measure, NamesTheFirstElementBeyondItsBound) {
  Example example;
  example.expectation.bound(1, 0) = 2.5;
  const Metrics metrics = measure(example.output, example.expectation, example.operands);
  ASSERT_TRUE(metrics.first_beyond_bound);
  EXPECT_EQ(metrics.first_beyond_bound->row, 1);
  EXPECT_EQ(metrics.first_beyond_bound->column, 0);
  EXPECT_EQ(metrics.first_beyond_bound->value, 27.0);
  EXPECT_EQ(metrics.first_beyond_bound->reference, 30.0);
  EXPECT_EQ(metrics.bound_fraction, 1.2);
}

TEST(Measure, ABoundOfNaNIsNeverAPass) {
  Example example;
  example.expectation.bound(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(measure(example.output, example.expectation, example.operands).first_beyond_bound);
}

TEST(Measure, APrunedTargetJudgesWhileErrorsStayAgainstTheOriginal) {
  Example example;
  example.expectation.target = example.expectation.exact;
  example.expectation.target(1, 0) = 26.5;
  const Metrics metrics = measure(example.output, example.expectation, example.operands);
  EXPECT_EQ(metrics.max_abs_err, 3.0);
  EXPECT_EQ(metrics.bound_fraction, 0.25);
}

TEST(Measure, CountsNonFiniteElementsAndNamesTheFirst) {
  Example example;
  example.output(0, 1) = std::numeric_limits<float>::quiet_NaN();
  example.output(1, 1) = std::numeric_limits<float>::infinity();
  const Metrics metrics = measure(example.output, example.expectation, example.operands);
  EXPECT_EQ(metrics.nonfinite, 2);
  ASSERT_TRUE(metrics.first_nonfinite);
  EXPECT_EQ(metrics.first_nonfinite->column, 1);
}

TEST(PairwiseSum, FollowsTheFixedTree) {
  // Sixteen terms: two halves of eight. 2⁵³ + 1 seven times stays 2⁵³ in the first half; the second half is 8.
  const auto term = [](std::int64_t i) { return i == 0 ? 0x1p53 : 1.0; };
  EXPECT_EQ(pairwise_sum(0, 16, term), 0x1p53 + 8.0);
  EXPECT_EQ(pairwise_sum(0, 8, term), 0x1p53);
}

TEST(CodeCensus, CountsTheTensorAndTheWorstColumn) {
  Matrix<float> b(3, 2);
  const std::array values = {127.0f, 100.0f, 1.0f, 100.0f, 127.0f, -100.0f};
  std::copy(values.begin(), values.end(), b.data());
  const auto census = code_census(*quantize::symmetric_int8(b.view(), Granularity::column()));
  EXPECT_THAT(census->by_column, ElementsAre(2, 2));  // {127, 1} and {127, −127}
  EXPECT_EQ(census->tensor, 3);
  EXPECT_EQ(census->worst_column, 2);
}

TEST(ColumnProfile, TakesTheElementThatUsesMostOfItsBound) {
  Example example;
  example.expectation.bound(0, 0) = 1.25;
  const ColumnProfile profile = column_profile(example.output, {0, 1}, example.expectation, 256);
  EXPECT_THAT(profile.first_column, ElementsAre(0, 1));
  EXPECT_THAT(profile.max_abs_err, ElementsAre(1.0, 0.5));
  EXPECT_THAT(profile.bound, ElementsAre(1.25, 4.0));
  EXPECT_THAT(column_profile(example.output, {0, 1}, example.expectation, 1).first_column, ElementsAre(0));
}

TEST(ColumnProfile, AnElementThatIsNotFiniteIsTheWorstOfItsBin) {
  Example example;
  example.output(1, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(column_profile(example.output, {0, 1}, example.expectation, 2).max_abs_err[0]));
}

}  // namespace
}  // namespace narrowgate
