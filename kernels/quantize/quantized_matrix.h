// What a quantizer produces and a kernel consumes: codes, the scales that decode them, zero points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/matrix.h"

namespace narrowgate {

// Which elements share a scale: blocks of rows × cols elements; 0 means the whole axis.
// {0, 0} per tensor, {0, 1} per column, {1, 0} per row, {128, 1} groups of 128 along the rows of one column.
struct Granularity {
  std::int64_t rows = 0;
  std::int64_t cols = 0;

  static constexpr Granularity tensor() { return {0, 0}; }
  static constexpr Granularity column() { return {0, 1}; }
  static constexpr Granularity row() { return {1, 0}; }

  std::int64_t block_rows(std::int64_t matrix_rows) const { return rows == 0 ? 1 : (matrix_rows + rows - 1) / rows; }
  std::int64_t block_cols(std::int64_t matrix_cols) const { return cols == 0 ? 1 : (matrix_cols + cols - 1) / cols; }
  // Index of the scale of element (row, col) in a row-major list of blocks.
  std::int64_t index(std::int64_t row, std::int64_t col, std::int64_t matrix_cols) const {
    const std::int64_t block_row = rows == 0 ? 0 : row / rows;
    const std::int64_t block_col = cols == 0 ? 0 : col / cols;
    return block_row * block_cols(matrix_cols) + block_col;
  }
  friend bool operator==(const Granularity&, const Granularity&) = default;
};

// One operand, quantized. x̂ = scale · (code − zero_point).
struct QuantizedMatrix {
  Matrix<float> values;              // the operand itself where it stays in FP32; empty otherwise
  Matrix<std::int8_t> codes;         // as kernels read them; empty where `values` is used
  std::int32_t code_offset = 0;      // reported code = stored code + offset (128 for asymmetric INT8: 0…255)
  Granularity granularity;
  std::vector<float> scales;         // decode scales, one per block
  std::vector<std::int32_t> zero_points;  // in the domain of the stored codes; empty for symmetric schemes

  std::int64_t rows() const { return values.empty() ? codes.rows() : values.rows(); }
  std::int64_t cols() const { return values.empty() ? codes.cols() : values.cols(); }
  bool is_float() const { return !values.empty(); }
  float scale_at(std::int64_t row, std::int64_t col) const {
    return scales[static_cast<std::size_t>(granularity.index(row, col, cols()))];
  }
  std::int32_t zero_point_at(std::int64_t row, std::int64_t col) const {
    return zero_points.empty() ? 0 : zero_points[static_cast<std::size_t>(granularity.index(row, col, cols()))];
  }
  // Exact in double: a scale has 24 bits and a code difference at most 9.
  double dequantized(std::int64_t row, std::int64_t col) const {
    if (is_float()) return values(row, col);
    return static_cast<double>(scale_at(row, col)) * (codes(row, col) - zero_point_at(row, col));
  }
};

// Why an operand cannot be quantized, in words that name the element.
struct Refusal {
  std::string reason;
};

template <class T>
using OrRefusal = tl::expected<T, Refusal>;

}  // namespace narrowgate
