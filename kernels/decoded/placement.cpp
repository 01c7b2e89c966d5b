// Copying the operands of float products to where kernels run.
#include <array>

#include "kernels/decoded/codes.h"
#include "kernels/decoded/decoded.h"
#include "kernels/formats/scalar.h"

namespace narrowgate::decoded {
namespace {

float value_of(const QuantizedMatrix& matrix, std::int8_t stored) {
  if (matrix.element == nullptr) return stored;
  if (matrix.element->is_floating()) return formats::decode(*matrix.element, static_cast<std::uint8_t>(stored));
  return static_cast<float>(stored * formats::power_of_two(-matrix.element->fraction_bits));
}

std::array<float, 256> value_table(const QuantizedMatrix& matrix) {
  std::array<float, 256> table{};
  for (int code = 0; code < 256; ++code) table[static_cast<std::size_t>(code)] = value_of(matrix, static_cast<std::int8_t>(code));
  return table;
}

std::vector<float> zero_points_of(const QuantizedMatrix& matrix) {
  std::vector<float> zero_points = matrix.fractional_zero_points;
  for (const std::int32_t zero_point : matrix.zero_points) zero_points.push_back(static_cast<float>(zero_point));
  return zero_points;
}

}  // namespace

Codes place_codes(std::string_view name, const QuantizedMatrix& matrix, BlockAxis k_axis, Accumulation accumulation,
                  Memory& memory) {
  Codes codes{};
  if (matrix.is_float()) {
    codes.values = memory.place(name, matrix.values.view());
    return codes;
  }
  codes.codes = memory.place(name, matrix.codes.view());
  codes.table = memory.place("values of codes", std::span<const float>(value_table(matrix)));
  codes.block_rows = matrix.granularity.rows;
  codes.block_cols = matrix.granularity.cols;
  codes.blocks_across = matrix.granularity.block_cols(matrix.cols());
  if (!scale_varies_along_k(matrix.granularity, k_axis) || accumulation.order == Accumulation::Order::kBlocks) return codes;
  codes.scales = memory.place("block scales", std::span<const float>(matrix.scales));
  const std::vector<float> zero_points = zero_points_of(matrix);
  if (!zero_points.empty()) codes.zero_points = memory.place("zero points", std::span<const float>(zero_points));
  return codes;
}

BlockScales place_block_scales(const Operands& operands, Memory& memory) {
  if (operands.accumulation.order != Accumulation::Order::kBlocks) return {};
  const std::int64_t length = operands.accumulation.length;
  const Shape shape = operands.shape();
  const std::int64_t count = (shape.k + length - 1) / length;
  Matrix<float> a(shape.m, count), b(count, shape.n);
  for (std::int64_t block = 0; block < count; ++block) {
    for (std::int64_t row = 0; row < shape.m; ++row) a(row, block) = operands.a.scale_at(row, block * length);
    for (std::int64_t col = 0; col < shape.n; ++col) b(block, col) = operands.b.scale_at(block * length, col);
  }
  const Matrix<float>& placed_a = a;
  const Matrix<float>& placed_b = b;
  return {memory.place("block scales of A", placed_a.view()), memory.place("block scales of B", placed_b.view())};
}

}  // namespace narrowgate::decoded
