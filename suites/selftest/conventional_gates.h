// The gates people use on matrix products, computed beside ours to show what they see. They decide nothing here.
//
// x is the output, y the reference in double, sums run over all elements. An output with a NaN or an infinity fails
// each of them, and one equal to its reference passes each, all zeros included.
//
//   allclose    |x − y| ≤ atol + rtol·|y| for every element, atol = rtol = 1e-2           torch.testing, numpy.allclose
//   or_form     |x − y| ≤ atol or |x − y| ≤ rtol·|y| for every element, the same two         where either tolerance will do
//   nmse        Σ(x − y)² ≤ 5e-4·Σy²                              llama.cpp, tests/test-backend-ops.cpp, for MUL_MAT
//   cosine      Σxy ≥ 0.99·√(Σx²·Σy²)                                        common in tests of quantized inference
//   mean_ratio  Σ|x − y| < 0.04·Σ|y|, and < 0.001·Σ|y|                     vLLM's tests of Marlin, and Marlin's own
//   calc_diff   1 − 2Σxy/Σ(x² + y²) < 1e-3                                   DeepGEMM, deep_gemm/testing
//   sqnr        Σy² ≥ 10^(25/10)·Σ(x − y)²: at least 25 dB                   TorchAO's compute_error in its tests
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/matrix.h"

namespace narrowgate::selftest {

inline constexpr double kAbsoluteTolerance = 1e-2;
inline constexpr double kRelativeTolerance = 1e-2;
inline constexpr double kNmseLimit = 5e-4;
inline constexpr double kCosineLimit = 0.99;
inline constexpr double kLooseMeanRatio = 0.04;
inline constexpr double kTightMeanRatio = 0.001;
inline constexpr double kCalcDiffLimit = 1e-3;
inline constexpr double kSqnrRatio = 316.22776601683796;  // 10^(25/10)

// One pass over the data: everything that the gates are made of.
struct Comparison {
  bool is_finite = true;
  std::int64_t beyond_allclose = 0, beyond_or_form = 0;  // elements
  double error_squares = 0, reference_squares = 0, output_squares = 0, products = 0;
  double error_sum = 0, reference_sum = 0;  // of magnitudes
};
Comparison compare_outputs(const Matrix<float>& output, const Matrix<double>& reference);

struct ConventionalGate {
  std::string_view name;
  std::string_view rule;
  bool (*passes)(const Comparison& comparison);
};

inline constexpr std::size_t kConventionalGateCount = 8;
const std::array<ConventionalGate, kConventionalGateCount>& conventional_gates();

}  // namespace narrowgate::selftest
