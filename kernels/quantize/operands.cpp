#include "kernels/quantize/operands.h"

#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/quantize/block_scaling.h"

namespace narrowgate {
namespace {

template <class T>
Matrix<T> pick_rows(const Matrix<T>& matrix, const std::vector<std::int64_t>& rows) {
  if (matrix.empty()) return {};
  Matrix<T> picked(static_cast<std::int64_t>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(matrix.view().row(rows[i]), matrix.cols(), picked.view().row(static_cast<std::int64_t>(i)));
  }
  return picked;
}

bool is_by_blocks(Accumulation accumulation) {
  return accumulation.order == Accumulation::Order::kBlocks || accumulation.order == Accumulation::Order::kIntegerBlocks;
}

}  // namespace

Operands select_rows(const Operands& operands, const std::vector<std::int64_t>& rows) {
  Operands selected = operands;
  const QuantizedMatrix& a = operands.a;
  selected.a.values = pick_rows(a.values, rows);
  selected.a.codes = pick_rows(a.codes, rows);
  selected.encoded_a = pick_rows(operands.encoded_a, rows);
  selected.outlier_a = pick_rows(operands.outlier_a, rows);
  if (a.granularity.rows == 0) return selected;

  // Blocks of more than one row are split: each picked row carries its own copy of its block's scales.
  const std::int64_t per_row = a.granularity.block_cols(a.cols());
  selected.a.granularity.rows = 1;
  selected.a.scales.clear();
  selected.a.zero_points.clear();
  for (const std::int64_t row : rows) {
    const std::int64_t first = a.granularity.index(row, 0, a.cols());
    for (std::int64_t block = first; block < first + per_row; ++block) {
      selected.a.scales.push_back(a.scales[static_cast<std::size_t>(block)]);
      if (!a.zero_points.empty()) selected.a.zero_points.push_back(a.zero_points[static_cast<std::size_t>(block)]);
    }
  }
  return selected;
}

std::vector<float> epilogue_scales(const QuantizedMatrix& matrix, BlockAxis axis, Accumulation accumulation) {
  if (matrix.is_float() || is_by_blocks(accumulation)) return {1.0f};
  if (scale_varies_along_k(matrix.granularity, axis)) return {matrix.tensor_scale};
  return matrix.scales;
}

Matrix<float> multiplied_values(const QuantizedMatrix& matrix, BlockAxis axis, Accumulation accumulation) {
  if (matrix.is_float()) return matrix.values;
  const bool scaled = scale_varies_along_k(matrix.granularity, axis) && !is_by_blocks(accumulation);
  Matrix<float> values(matrix.rows(), matrix.cols());
  parallel_for(matrix.rows(), [&](std::int64_t row) {
    for (std::int64_t col = 0; col < matrix.cols(); ++col) {
      if (!matrix.fractional_zero_points.empty()) {
        values(row, col) = static_cast<float>(matrix.dequantized(row, col));
      } else {
        const double scale = scaled ? matrix.scale_at(row, col) : 1.0f;
        values(row, col) = static_cast<float>(scale * matrix.unscaled(row, col));
      }
    }
  });
  return values;
}

double bits_per_weight(const Operands& operands) {
  const double dense = quantize::bits_per_weight(operands.b);
  // Of four elements two are stored, each with two bits that say where it was.
  return operands.is_compressed24 ? dense / 2.0 + 1.0 : dense;
}

}  // namespace narrowgate
