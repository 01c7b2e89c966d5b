#include "kernels/reference/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/parallel.h"
#include "kernels/reference/oracle.h"

namespace narrowgate::reference {
namespace {

constexpr double kHalfSubnormal = 0x1p-150;  // half of FP32's smallest subnormal: one underflowing rounding

template <class Value>
Matrix<double> map(std::int64_t rows, std::int64_t cols, const Value& value) {
  Matrix<double> result(rows, cols);
  parallel_for(rows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < cols; ++col) result(row, col) = value(row, col);
  });
  return result;
}

Matrix<double> absolute(View<const float> x) {
  return map(x.rows, x.cols, [&](std::int64_t row, std::int64_t col) { return std::fabs(double{x(row, col)}); });
}

Matrix<double> absolute_dequantized(const QuantizedMatrix& q) {
  return map(q.rows(), q.cols(), [&](std::int64_t row, std::int64_t col) { return std::fabs(q.dequantized(row, col)); });
}

double max_abs(View<const float> x) {
  double largest = 0.0;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) largest = std::max(largest, std::fabs(double{x(row, col)}));
  }
  return largest;
}

std::vector<double> max_abs_by_column(View<const float> x) {
  std::vector<double> largest(static_cast<std::size_t>(x.cols));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      double& entry = largest[static_cast<std::size_t>(col)];
      entry = std::max(entry, std::fabs(double{x(row, col)}));
    }
  }
  return largest;
}

// W = Σ(|a|·δb + |b̂|·δa)
Matrix<double> operand_term(View<const float> a, View<const float> encoded_b, const Operands& operands) {
  Matrix<double> total(a.rows, encoded_b.cols);
  const auto add = [&](const Matrix<double>& term) {
    for (std::int64_t i = 0; i < total.size(); ++i) total.data()[i] += term.data()[i];
  };
  if (!operands.b.is_float()) {
    add(product(absolute(a).view(), operand_error_bound(encoded_b, operands.b).view()));
  }
  if (!operands.a.is_float()) {
    add(product(operand_error_bound(a, operands.a).view(), absolute_dequantized(operands.b).view()));
  }
  return total;
}

// Adds R and the oracle's own error to W, in place.
void add_rounding(Matrix<double>& bound, const Matrix<double>& target, const Operands& operands,
                  View<const float> a, const std::vector<double>& max_b, Accumulation accumulation) {
  const std::int64_t k = operands.a.cols();
  // The terms of W and the oracle are themselves FP64 chains of k steps.
  const double inflate = 1.0 + 4.0 * oracle_error_factor(k);
  if (accumulation == Accumulation::kFloatChain) {
    const Matrix<double> magnitude =
        product(absolute_dequantized(operands.a).view(), absolute_dequantized(operands.b).view());
    const double factor = gamma_factor(k) + oracle_error_factor(k);
    for (std::int64_t i = 0; i < bound.size(); ++i) {
      bound.data()[i] = inflate * (bound.data()[i] + factor * magnitude.data()[i]) + static_cast<double>(k) * kHalfSubnormal;
    }
    return;
  }
  const double oracle_error = oracle_error_factor(k) * static_cast<double>(k) * max_abs(a);
  parallel_for(bound.rows(), [&](std::int64_t row) {
    for (std::int64_t col = 0; col < bound.cols(); ++col) {
      const double scale = double{operands.a.scale_at(row, 0)} * double{operands.b.scale_at(0, col)};
      const double reach = std::fabs(target(row, col)) + bound(row, col);
      const double rounding = 3.0 * kUnitRoundoff * (1.0 + 4.0 * kUnitRoundoff) * reach +
                              (reach / scale + 1.0) * kHalfSubnormal;
      bound(row, col) = inflate * (bound(row, col) + rounding) + oracle_error * max_b[static_cast<std::size_t>(col)];
    }
  });
}

}  // namespace

double gamma_factor(std::int64_t n) {
  const double nu = static_cast<double>(n) * kUnitRoundoff;
  return nu < 1.0 ? nu / (1.0 - nu) : std::numeric_limits<double>::infinity();
}

Matrix<double> operand_error_bound(View<const float> original, const QuantizedMatrix& quantized) {
  if (quantized.is_float()) return Matrix<double>(original.rows, original.cols);
  const bool asymmetric = !quantized.zero_points.empty();
  return map(original.rows, original.cols, [&](std::int64_t row, std::int64_t col) {
    const double scale = quantized.scale_at(row, col);
    const std::int8_t code = quantized.codes(row, col);
    const bool end_code = asymmetric && (code == -128 || code == 127);
    return (end_code ? scale : scale / 2.0) + 2.0 * kUnitRoundoff * std::fabs(double{original(row, col)});
  });
}

Expectation expect_given(Matrix<double> exact, View<const float> a, View<const float> b, const Operands& operands,
                         Accumulation accumulation) {
  const bool pruned = !operands.pruned_b.empty();
  const View<const float> encoded_b = pruned ? operands.pruned_b.view() : b;
  Expectation result;
  result.exact = std::move(exact);
  if (pruned) result.target = product(a, encoded_b);
  const Matrix<double>& target = pruned ? result.target : result.exact;
  result.bound = operand_term(a, encoded_b, operands);
  add_rounding(result.bound, target, operands, a, max_abs_by_column(encoded_b), accumulation);

  const double max_a = max_abs(a);
  for (const double max_b : max_abs_by_column(b)) {
    result.k_gate_by_column.push_back(4.0 * static_cast<double>(a.cols) * max_a * max_b / 127.0);
  }
  return result;
}

Expectation expect(View<const float> a, View<const float> b, const Operands& operands, Accumulation accumulation) {
  return expect_given(product(a, b), a, b, operands, accumulation);
}

}  // namespace narrowgate::reference
