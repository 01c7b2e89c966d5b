#include "kernels/quantize/operands.h"

#include <algorithm>

namespace narrowgate {
namespace {

template <class T>
Matrix<T> pick_rows(const Matrix<T>& matrix, const std::vector<std::int64_t>& rows) {
  Matrix<T> picked(static_cast<std::int64_t>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(matrix.view().row(rows[i]), matrix.cols(), picked.view().row(static_cast<std::int64_t>(i)));
  }
  return picked;
}

}  // namespace

Operands select_rows(const Operands& operands, const std::vector<std::int64_t>& rows) {
  Operands selected = operands;
  const QuantizedMatrix& a = operands.a;
  if (a.is_float()) selected.a.values = pick_rows(a.values, rows);
  else selected.a.codes = pick_rows(a.codes, rows);
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

double bits_per_element(const QuantizedMatrix& matrix) {
  const double elements = static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols());
  if (matrix.is_float()) return 32.0;
  const double side = 32.0 * static_cast<double>(matrix.scales.size()) + 8.0 * static_cast<double>(matrix.zero_points.size());
  return 8.0 + side / elements;
}

}  // namespace narrowgate
