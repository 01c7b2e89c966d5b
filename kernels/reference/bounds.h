// A-priori worst-case bounds, per element of C, in double. One formula for every scheme:
//
//   |Ĉ − C| ≤ W + T + R                                            u = 2⁻²⁴, γₙ = nu/(1 − nu)
//
//   W = Σ(|a|·δb + |b̂|·δa), over the data that is encoded           the operands' quantization errors
//     δ = h + 2u|x|     h = s/2 for integer codes (s where an asymmetric end code clamped); for a float element with
//                       scale X, X·2^(max(⌊log₂(|x|/X)⌋, e_min) − m − 1), beyond X·max at least |x| − X·max; the second
//                       term only where scales are not powers of two
//     δ = |x − x̂|       where codes are not the nearest within min–max: known from the codes alone
//
//   T = 2u(1+u)·Σ|a||b|                                             factors of channels: each operand rounded once
//     = 2γ_{p+2}·√n·Σ_blocks ‖a‖₂‖b‖₂                               a rotation of size n = 2ᵖ: p butterflies, one product
//
//   R = 3u(1+4u)·(|C|+W)                                            int32 → float, sa·sb and the product round once each
//     = γ_t·Σ|â||b̂| + 2u(1+2u)·(|C|+W+γ_t·Σ|â||b̂|)                  FP32 chains; the second term for a scaled epilogue
//     t: chain k; lanes the longest lane and 5; blocks one block, one step and one scale product for each block
//     a kernel with a sum of its own states t and u of γ_t itself
//   and for each: underflow of 2⁻¹⁵⁰ a rounding; u·|C'| for a bias; 2⁻¹¹·|C'| + 2⁻²⁵ for FP16 output.
//
// In the integer case |acc|·sa·sb ≤ |C| + W stands for the accumulator's magnitude, so the bound needs no output of any
// kernel. Sources: Higham, Accuracy and Stability of Numerical Algorithms, §3.1 (γ, chains) and §24.1 (butterflies); the
// operand term is the triangle inequality over â·b̂ − a·b = â(b̂ − b) + b(â − a).
#pragma once

#include <span>

#include "kernels/quantize/operands.h"

namespace narrowgate::reference {

inline constexpr double kUnitRoundoff = 0x1p-24;  // u of FP32

// |x − x̂| can be at most this, elementwise. `encoded` is the data that `quantized` encodes.
Matrix<double> operand_error_bound(View<const float> encoded, const QuantizedMatrix& quantized);

// What the gates need to know about one case besides the kernel's output.
struct Expectation {
  Matrix<double> exact;      // A·B over the original FP32 data, plus the bias
  Matrix<double> target;     // the same with B pruned: what the scheme approximates; empty where it equals `exact`
  Matrix<double> bound;      // worst case of |Ĉ − target|
  Matrix<double> operand_bound;  // W + T alone; empty where it is zero, because the operands are the data themselves
  std::vector<double> k_gate_by_column;  // day98_limits()
};

// A[m×k], B[k×n] are the original data, `operands` their quantization.
Expectation expect(View<const float> a, View<const float> b, const Operands& operands);

// Like expect(), with A·B given: a suite asks for many schemes over one pair of inputs.
Expectation expect_given(Matrix<double> exact, View<const float> a, View<const float> b, const Operands& operands);

// 4·K·max|A|·max|B[:,c]|/127 for each column.
std::vector<double> day98_limits(View<const float> a, View<const float> b);

// The standard deviation of the error if roundings were independent and uniform: √(Σ a²·var(b̂) + Σ b̂²·var(â)), where
// var = h²/3 (s²/12 for integers), and δ² where codes are their own witness. A diagnostic, never a gate: real errors
// are correlated. For the given rows of A only. Source: Nagel et al. 2021, §2; Higham and Mary 2019.
Matrix<double> statistical_error(View<const float> a, View<const float> b, const Operands& operands,
                                 const std::vector<std::int64_t>& rows);

// γ_n = nu/(1 − nu); infinity where nu ≥ 1 (the bound is vacuous there).
double gamma_factor(std::int64_t n, double unit_roundoff = kUnitRoundoff);

// t and u of a float sum in another order than the scheme's.
struct SumRounding {
  std::int64_t roundings = 0;
  double unit_roundoff = kUnitRoundoff;
};

// What a kernel with such a sum is held to on the operands as they were quantized.
struct RoundingExpectation {
  Matrix<double> product;  // Â·B̂ and the bias, in double
  Matrix<double> bound;    // R: worst case of |Ĉ − product|
  // The sum's and the epilogue's roundings together may reach Σ|â||b̂|, so that zeros would pass. Underflow and the grid
  // of FP16 are left out of this: an output that near to the product is as right as its format allows.
  bool is_vacuous = false;
};

// For schemes that add in floats; integer sums are exact in any order, and std::logic_error says so.
RoundingExpectation expect_rounding(const Operands& operands, SumRounding sum);

// The case's expectation with that R in place of the scheme's own.
Expectation with_rounding(Expectation expectation, const RoundingExpectation& rounding);

}  // namespace narrowgate::reference
