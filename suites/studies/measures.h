// What studies share: errors of operands and of products, and a scheme's answer.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "baselines/studies_file.h"
#include "kernels/kernel.h"
#include "suites/engine/inputs.h"

namespace narrowgate::studies {

inline constexpr std::uint64_t kSeed = 1;
// Random streams of studies beside those of inputs: tensor ids from here on, one for each study that needs one.
inline constexpr std::uint32_t kFirstStudyTensor = 2000;

// √(Σx²/n), and the same of differences, in double by a fixed tree.
double rms(View<const float> x);
double rms(const Matrix<double>& x);
double rms_error(View<const float> x, const QuantizedMatrix& quantized);  // of x̂ − x
double rms_error(const Matrix<float>& c, const Matrix<double>& exact, std::int64_t first_row = 0);
// The largest |x̂ − x|.
double largest_error(View<const float> x, const QuantizedMatrix& quantized);

// The inputs of a study are fixed, so a refusal is a mistake of its author.
template <class T>
T accepted(OrRefusal<T> result) {
  if (!result) throw std::logic_error("a study's input was refused: " + result.error().reason);
  return std::move(*result);
}

struct Pair {
  Matrix<float> a;       // m×k
  Matrix<float> b;       // k×n
  Matrix<double> exact;  // A·B
};
Pair make_pair(Distribution distribution, Shape shape);

// The scheme's answer, by cpu.simd where that computes it. Calibration is drawn like A.
Matrix<float> answer(std::string_view scheme_id, const Pair& inputs, Distribution distribution);
Matrix<float> answer(const Scheme& scheme, const Operands& operands);

// 3 significant digits, without an exponent up to a million; from there on "over 1,000,000".
std::string plain_number(double value);

StudyRecord::X categories(std::string label, std::vector<std::string> names);

}  // namespace narrowgate::studies
