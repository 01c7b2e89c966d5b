// The bounds by hand on one-element products, then against the answers of random cases.
#include "kernels/reference/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/quantize/integer.h"
#include "kernels/random/philox.h"
#include "kernels/reference/oracle.h"

namespace narrowgate::reference {
namespace {

QuantizedMatrix as_values(const Matrix<float>& x) {
  QuantizedMatrix q;
  q.values = x;
  q.scales = {1.0f};
  return q;
}

Operands operands(QuantizedMatrix a, QuantizedMatrix b, Accumulation accumulation) {
  Operands result;
  result.a = std::move(a);
  result.b = std::move(b);
  result.accumulation = accumulation;
  return result;
}

Matrix<float> single(float value) {
  Matrix<float> x(1, 1);
  x(0, 0) = value;
  return x;
}

TEST(Gamma, FollowsItsDefinitionAndIsVacuousBeyondItsRange) {
  EXPECT_EQ(gamma_factor(1), 0x1p-24 / (1.0 - 0x1p-24));
  EXPECT_TRUE(std::isinf(gamma_factor(std::int64_t{1} << 24)));
}

TEST(OperandErrorBound, IsHalfAScaleAndTwoRoundings) {
  Matrix<float> x(1, 2);
  x(0, 0) = 127.0f;
  x(0, 1) = 0.25f;
  const auto q = quantize::symmetric_int8(x.view(), Granularity::tensor());
  const Matrix<double> bound = operand_error_bound(x.view(), *q);
  EXPECT_EQ(bound(0, 0), 0.5 + 2 * 0x1p-24 * 127.0);
  EXPECT_EQ(bound(0, 1), 0.5 + 2 * 0x1p-24 * 0.25);
}

TEST(OperandErrorBound, IsAWholeScaleAtAnAsymmetricEndCode) {
  Matrix<float> x(1, 3);
  x(0, 0) = -1.0f;
  x(0, 2) = 254.0f;
  const auto q = quantize::asymmetric_int8(x.view(), Granularity::tensor());
  EXPECT_EQ(q->scales[0], 1.0f);
  EXPECT_EQ(operand_error_bound(x.view(), *q)(0, 0), 1.0 + 2 * 0x1p-24);
  EXPECT_EQ(operand_error_bound(x.view(), *q)(0, 1), 0.5);
}

TEST(Expectation, OfAnFp32ChainIsGammaTimesTheMagnitudes) {
  const Matrix<float> a = single(3.0f), b = single(-2.0f);
  const auto result = expect(a.view(), b.view(), operands(as_values(a), as_values(b), Accumulation::chain()));
  EXPECT_EQ(result.exact(0, 0), -6.0);
  EXPECT_TRUE(result.target.empty());
  EXPECT_NEAR(result.bound(0, 0), 6.0 * 0x1p-24, 6.0 * 0x1p-24 * 1e-6);
  EXPECT_EQ(result.k_gate_by_column[0], 4.0 * 3.0 * 2.0 / 127.0);
}

TEST(Expectation, OfAnIntegerProductIsTheOperandTermAndThreeRoundings) {
  const Matrix<float> a = single(127.0f), b = single(254.0f);
  const auto qa = quantize::symmetric_int8(a.view(), Granularity::tensor());
  const auto qb = quantize::symmetric_int8(b.view(), Granularity::column());
  const auto result = expect(a.view(), b.view(), operands(*qa, *qb, Accumulation::integer()));
  // |a|·s_b/2 + |b̂|·s_a/2 = 127 + 127; the rest is of relative size 2⁻²².
  EXPECT_NEAR(result.bound(0, 0), 254.0, 0.05);
  EXPECT_GT(result.bound(0, 0), 254.0);
}

TEST(Gamma, TakesTheUnitOfWhateverAdds) {
  EXPECT_EQ(gamma_factor(64, 0x1p-14), 0x1p-8 / (1.0 - 0x1p-8));
  EXPECT_TRUE(std::isinf(gamma_factor(1 << 14, 0x1p-14)));
}

TEST(RoundingExpectation, OfOneProductIsGammaTimesItsMagnitude) {
  const Matrix<float> a = single(3.0f), b = single(-2.0f);
  const auto result = expect_rounding(operands(as_values(a), as_values(b), Accumulation::chain()), {4, 0x1p-10});
  EXPECT_EQ(result.product(0, 0), -6.0);
  EXPECT_NEAR(result.bound(0, 0), 6.0 * 0x1p-8 / (1.0 - 0x1p-8), 1e-12);
  EXPECT_FALSE(result.is_vacuous);
}

TEST(RoundingExpectation, HasTheBiasInItsProductAndTheEpiloguesRoundingInItsBound) {
  const Matrix<float> a = single(3.0f), b = single(-2.0f);
  Operands with_bias = operands(as_values(a), as_values(b), Accumulation::chain());
  with_bias.bias = {1.0f};
  with_bias.output = OutputFormat::kFp16;
  const auto result = expect_rounding(with_bias, {0, 0x1p-10});
  EXPECT_EQ(result.product(0, 0), -5.0);
  EXPECT_NEAR(result.bound(0, 0), 5.0 * 0x1p-24 + 5.0 * 0x1p-11, 1e-7);
}

TEST(RoundingExpectation, ReplacesTheSchemesOwnRounding) {
  const Matrix<float> a = single(3.0f), b = single(-2.0f);
  const Operands both = operands(as_values(a), as_values(b), Accumulation::chain());
  const auto own = with_rounding(expect(a.view(), b.view(), both), expect_rounding(both, {1, 0x1p-10}));
  EXPECT_NEAR(own.bound(0, 0), 6.0 * 0x1p-10, 6.0 * 0x1p-19);
}

TEST(RoundingExpectation, IsNotForIntegers) {
  EXPECT_THROW(
      expect_rounding(operands(as_values(single(1)), as_values(single(1)), Accumulation::integer()), {1, 0x1p-24}),
      std::logic_error);
}

// δ is a bound on what the quantizer really does: never exceeded, and nearly reached.
TEST(OperandErrorBound, HoldsAndIsTightOnRandomData) {
  for (const bool asymmetric : {false, true}) {
    double largest = 0.0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Matrix<float> x(64, 64);
      for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = uniform_from_word(philox_word({.seed = seed}, i)) * 3.0f - 1.0f;
      const auto q = asymmetric ? quantize::asymmetric_int8(x.view(), Granularity::row())
                                : quantize::symmetric_int8(x.view(), Granularity::column());
      const Matrix<double> bound = operand_error_bound(x.view(), *q);
      for (std::int64_t row = 0; row < 64; ++row) {
        for (std::int64_t col = 0; col < 64; ++col) {
          largest = std::max(largest, std::fabs(q->dequantized(row, col) - double{x(row, col)}) / bound(row, col));
        }
      }
    }
    EXPECT_LE(largest, 1.0);
    EXPECT_GT(largest, 0.99);
  }
}

}  // namespace
}  // namespace narrowgate::reference
