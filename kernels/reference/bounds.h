// A-priori worst-case bounds, per element of C, in double. One formula for every scheme:
//
//   |Ĉ − C| ≤ W + R,   W = Σ(|a|·δb + |b̂|·δa)                      the operands' quantization errors
//
//   δ = s/2 + 2u|x|          integer codes (s instead of s/2 where an asymmetric end code clamped); 0 where x̂ = x
//   R = 3u(1+4u)·(|C|+W) + (|C|+W)·2⁻¹⁵⁰/(sa·sb) + 2⁻¹⁵⁰           integer accumulation, scaled epilogue:
//                            int32 → float, sa·sb and the product round once each
//   R = γ_K·Σ|â||b̂| + K·2⁻¹⁵⁰                                      one FMA chain in FP32, no epilogue
//
// u = 2⁻²⁴, γ_K = Ku/(1 − Ku). In the integer case |acc|·sa·sb ≤ |C| + W stands for the accumulator's magnitude, so
// the bound needs no output of any kernel. Sources: Higham, Accuracy and Stability of Numerical Algorithms, §3.1
// (γ, chains); the operand term is the triangle inequality over â·b̂ − a·b = â(b̂ − b) + b(â − a).
#pragma once

#include "kernels/quantize/operands.h"

namespace narrowgate::reference {

inline constexpr double kUnitRoundoff = 0x1p-24;  // u of FP32

enum class Accumulation {
  kInteger,     // int32, exact; then one scaled epilogue
  kFloatChain,  // one FP32 FMA chain over ascending k
};

// |x − x̂| can be at most this, elementwise. `original` is the data that `quantized` encodes.
Matrix<double> operand_error_bound(View<const float> original, const QuantizedMatrix& quantized);

// What the gates need to know about one case besides the kernel's output.
struct Expectation {
  Matrix<double> exact;      // A·B over the original FP32 data
  Matrix<double> target;     // A·B' with B' pruned: what the scheme approximates; empty where it equals `exact`
  Matrix<double> bound;      // worst case of |Ĉ − target|
  std::vector<double> k_gate_by_column;  // 4·K·max|A|·max|B[:,c]|/127, the day 98 gate
};

// A[m×k], B[k×n] are the original data, `operands` their quantization.
Expectation expect(View<const float> a, View<const float> b, const Operands& operands, Accumulation accumulation);

// γ_n = nu/(1 − nu); infinity where nu ≥ 1 (the bound is vacuous there).
double gamma_factor(std::int64_t n);

// Like expect(), with A·B given: a suite asks for many schemes over one pair of inputs.
Expectation expect_given(Matrix<double> exact, View<const float> a, View<const float> b, const Operands& operands,
                         Accumulation accumulation);

}  // namespace narrowgate::reference
