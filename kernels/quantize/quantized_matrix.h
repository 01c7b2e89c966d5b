// What a quantizer produces and a kernel consumes: codes, the scales that decode them, zero points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/formats/scalar.h"
#include "kernels/matrix.h"

namespace narrowgate {

// Which axis of an operand is k: the rows of B, the columns of A.
enum class BlockAxis { rows, cols };

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

// How far x̂ can lie from x: by the step of the format, or, where codes or ranges were chosen by another rule than
// nearest within min–max, only as far as the codes themselves show.
enum class ErrorModel { kNearest, kOwnCodes };

// One operand, quantized. x̂ = scale · (value of the code − zero point), times the tensor scale.
//
// Codes are logical and unpacked, one a byte. Integer elements are stored as their value (sign-extended), floating
// elements as their bit pattern.
struct QuantizedMatrix {
  Matrix<float> values;              // the operand itself where it stays a float (FP32, or `element`'s); else empty
  Matrix<std::int8_t> codes;         // as kernels read them; empty where `values` is used
  std::int32_t code_offset = 0;      // reported code = stored code + offset (128 for asymmetric INT8: 0…255)
  Granularity granularity;
  std::vector<float> scales;         // decode scales, one per block, decoded from their storage format
  std::vector<std::int32_t> zero_points;  // in the domain of the stored codes; empty for symmetric schemes
  const formats::Format* element = nullptr;       // null: plain integers of up to 8 bits
  const formats::Format* scale_format = nullptr;  // how a scale is stored; null: FP32
  float tensor_scale = 1.0f;         // the second level of a two-level scale (NVFP4): kernels apply it at the end
  ErrorModel error_model = ErrorModel::kNearest;
  std::vector<float> fractional_zero_points;  // HQQ only, instead of zero_points; stored as FP16

  std::int64_t rows() const { return values.empty() ? codes.rows() : values.rows(); }
  std::int64_t cols() const { return values.empty() ? codes.cols() : values.cols(); }
  bool is_float() const { return !values.empty(); }
  bool has_floating_elements() const { return element != nullptr && element->is_floating(); }
  std::size_t block_at(std::int64_t row, std::int64_t col) const {
    return static_cast<std::size_t>(granularity.index(row, col, cols()));
  }
  float scale_at(std::int64_t row, std::int64_t col) const { return scales[block_at(row, col)]; }
  std::int32_t zero_point_at(std::int64_t row, std::int64_t col) const {
    return zero_points.empty() ? 0 : zero_points[block_at(row, col)];
  }
  // What the code stands for before any scale: an element's value, or an integer less its zero point.
  double unscaled(std::int64_t row, std::int64_t col) const {
    if (has_floating_elements()) return formats::decode(*element, static_cast<std::uint8_t>(codes(row, col)));
    const double integer = codes(row, col) - zero_point_at(row, col);
    return element == nullptr ? integer : integer * formats::power_of_two(-element->fraction_bits);
  }
  // Exact in double: a scale and a tensor scale have at most 24 + 4 bits, or 24 alone, and a code at most 9. With
  // fractional zero points the definition itself rounds: fl32(fl32(q − z)·s).
  double dequantized(std::int64_t row, std::int64_t col) const {
    if (is_float()) return values(row, col);
    if (!fractional_zero_points.empty()) {
      const float difference = static_cast<float>(codes(row, col)) - fractional_zero_points[block_at(row, col)];
      return difference * scale_at(row, col);
    }
    return static_cast<double>(scale_at(row, col)) * unscaled(row, col) * tensor_scale;
  }
};

// Why an operand cannot be quantized, in words that name the element.
struct Refusal {
  std::string reason;
};

template <class T>
using OrRefusal = tl::expected<T, Refusal>;

}  // namespace narrowgate
