// Inputs that several tests share. Only + − × and bits, so they are the same everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/quantize/quantized_matrix.h"
#include "kernels/random/philox.h"

namespace narrowgate::quantize {

inline View<const float> as_row(const std::vector<float>& x) {
  return {x.data(), 1, static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(x.size())};
}

inline View<const float> as_column(const std::vector<float>& x) {
  return {x.data(), static_cast<std::int64_t>(x.size()), 1, 1};
}

inline float uniform(std::uint64_t index, std::uint32_t tensor = 0) {
  return uniform_from_word(philox_word({.seed = 5, .tensor = tensor}, index));
}

// Near enough to a standard normal: the sum of twelve uniforms less six.
inline float gaussian(std::uint64_t index, std::uint32_t tensor = 0) {
  float sum = -6.0f;
  for (std::uint32_t part = 0; part < 12; ++part) sum += uniform(12 * index + part, tensor + 100);
  return sum;
}

template <class Generate>
Matrix<float> generated(std::int64_t rows, std::int64_t cols, const Generate& generate) {
  Matrix<float> x(rows, cols);
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = generate(static_cast<std::uint64_t>(i));
  return x;
}

inline Matrix<float> gaussian_matrix(std::int64_t rows, std::int64_t cols, std::uint32_t tensor = 0) {
  return generated(rows, cols, [tensor](std::uint64_t i) { return gaussian(i, tensor); });
}

inline std::vector<int> reported_codes(const QuantizedMatrix& q) {
  std::vector<int> codes;
  for (const std::int8_t code : q.codes.flat()) codes.push_back(code + q.code_offset);
  return codes;
}

inline std::vector<double> dequantized_values(const QuantizedMatrix& q) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < q.rows(); ++row) {
    for (std::int64_t col = 0; col < q.cols(); ++col) values.push_back(q.dequantized(row, col));
  }
  return values;
}

// Σ(x − x̂)² in double.
inline double squared_error(View<const float> x, const QuantizedMatrix& q) {
  double sum = 0;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const double difference = x(row, col) - q.dequantized(row, col);
      sum += difference * difference;
    }
  }
  return sum;
}

}  // namespace narrowgate::quantize
