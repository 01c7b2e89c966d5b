#include "kernels/reference/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/parallel.h"
#include "kernels/reference/operand_bounds.h"
#include "kernels/reference/oracle.h"

namespace narrowgate::reference {
namespace {

using Order = Accumulation::Order;

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

Matrix<double> dequantized(const QuantizedMatrix& q) {
  return map(q.rows(), q.cols(), [&](std::int64_t row, std::int64_t col) { return q.dequantized(row, col); });
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

void add(Matrix<double>& total, const Matrix<double>& term) {
  for (std::int64_t i = 0; i < total.size(); ++i) total.data()[i] += term.data()[i];
}

bool is_encoded(const QuantizedMatrix& matrix) { return !matrix.is_float() || matrix.element != nullptr; }

// Everything that the terms share.
struct Problem {
  View<const float> a, b;                  // the original data
  View<const float> encoded_a, encoded_b;  // what the codes stand for
  const Operands& operands;
  std::int64_t k() const { return a.cols; }
};

// W
Matrix<double> operand_term(const Problem& problem) {
  Matrix<double> total(problem.a.rows, problem.b.cols);
  const Operands& operands = problem.operands;
  if (is_encoded(operands.b)) {
    add(total, product(absolute(problem.encoded_a).view(), operand_error_bound(problem.encoded_b, operands.b).view()));
  }
  if (is_encoded(operands.a)) {
    add(total, product(operand_error_bound(problem.encoded_a, operands.a).view(), absolute_dequantized(operands.b).view()));
  }
  return total;
}

// ‖x‖₂ over blocks of k; rows of A or columns of B.
Matrix<double> block_norms(View<const float> x, BlockAxis axis) {
  const std::int64_t k = axis == BlockAxis::cols ? x.cols : x.rows;
  const std::int64_t blocks = (k + kRotationBlock - 1) / kRotationBlock;
  Matrix<double> squares = axis == BlockAxis::cols ? Matrix<double>(x.rows, blocks) : Matrix<double>(blocks, x.cols);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const double value = x(row, col);
      (axis == BlockAxis::cols ? squares(row, col / kRotationBlock) : squares(row / kRotationBlock, col)) += value * value;
    }
  }
  for (double& value : squares.flat()) value = std::sqrt(value);
  return squares;
}

// T: how far preparing the operands can move the product of the encoded data from that of the original.
Matrix<double> preparation_term(const Problem& problem) {
  Matrix<double> total(problem.a.rows, problem.b.cols);
  double factor = 0.0;
  if (problem.operands.preparation == Preparation::kScaled) {
    total = product(absolute(problem.a).view(), absolute(problem.b).view());
    factor = 2.0 * kUnitRoundoff * (1.0 + kUnitRoundoff);
  } else if (problem.operands.preparation == Preparation::kRotated) {
    total = product(block_norms(problem.a, BlockAxis::cols).view(), block_norms(problem.b, BlockAxis::rows).view());
    factor = 2.0 * gamma_factor(std::ilogb(static_cast<double>(kRotationBlock)) + 2) *
             std::sqrt(static_cast<double>(kRotationBlock));
  } else {
    return total;
  }
  // Results of one rounding may be subnormal: 2⁻¹⁵⁰ an element, against the other operand.
  const double underflow = kHalfSubnormal * static_cast<double>(problem.k()) *
                           (max_abs(problem.encoded_a) + max_abs(problem.encoded_b) + kHalfSubnormal);
  for (double& value : total.flat()) value = factor * value + underflow;
  return total;
}

// fl(sa·sb) of the epilogue as a real number; 1 where the sum is not scaled.
class EpilogueScale {
 public:
  explicit EpilogueScale(const Operands& operands)
      : a_(epilogue_scales(operands.a, BlockAxis::cols, operands.accumulation)),
        b_(epilogue_scales(operands.b, BlockAxis::rows, operands.accumulation)) {}
  double at(std::int64_t row, std::int64_t col) const {
    return double{a_[a_.size() > 1 ? static_cast<std::size_t>(row) : 0]} *
           double{b_[b_.size() > 1 ? static_cast<std::size_t>(col) : 0]};
  }
  bool is_one() const {
    const auto one = [](float scale) { return scale == 1.0f; };
    return std::all_of(a_.begin(), a_.end(), one) && std::all_of(b_.begin(), b_.end(), one);
  }

 private:
  std::vector<float> a_, b_;
};

// The terms of W and the oracle are themselves FP64 chains of k steps.
double inflation(std::int64_t k) { return 1.0 + 4.0 * oracle_error_factor(k); }

// R of the integer arithmetic, and the oracle's own error.
void add_integer_rounding(Matrix<double>& bound, const Matrix<double>& target, const Problem& problem) {
  const std::int64_t k = problem.k();
  const EpilogueScale scales(problem.operands);
  const std::vector<double> max_b = max_abs_by_column(problem.encoded_b);
  const double oracle_error = oracle_error_factor(k) * static_cast<double>(k) * max_abs(problem.a);
  parallel_for(bound.rows(), [&](std::int64_t row) {
    for (std::int64_t col = 0; col < bound.cols(); ++col) {
      const double reach = std::fabs(target(row, col)) + bound(row, col);
      const double rounding = 3.0 * kUnitRoundoff * (1.0 + 4.0 * kUnitRoundoff) * reach +
                              (reach / scales.at(row, col) + 1.0) * kHalfSubnormal;
      bound(row, col) = inflation(k) * (bound(row, col) + rounding) + oracle_error * max_b[static_cast<std::size_t>(col)];
    }
  });
}

// Roundings that the longest path through the sum of one element passes.
std::int64_t chain_length(std::int64_t k, Accumulation accumulation) {
  const auto divide_up = [](std::int64_t value, std::int64_t by) { return (value + by - 1) / by; };
  switch (accumulation.order) {
    case Order::kLanes: {
      const std::int64_t longest_lane = divide_up(k, kLaneCount * accumulation.length) * accumulation.length;
      return std::min(k, longest_lane + 5);
    }
    case Order::kBlocks: return std::min(k, accumulation.length) + divide_up(k, accumulation.length) + 1;
    case Order::kIntegerBlocks: return divide_up(k, accumulation.length) + 1;
    default: return k;
  }
}

// The largest scale that a partial sum of a row is multiplied by on its way: what an underflow within it is worth.
double largest_block_scale(const Operands& operands) {
  const auto largest = [](const std::vector<float>& scales) { return double{*std::max_element(scales.begin(), scales.end())}; };
  const bool by_blocks = operands.accumulation.order == Order::kBlocks || operands.accumulation.order == Order::kIntegerBlocks;
  return by_blocks ? largest(operands.a.scales) * largest(operands.b.scales) : 1.0;
}

// R of the floating orders for one element, and the oracle's own error.
class FloatRounding {
 public:
  FloatRounding(const Operands& operands, double sum_factor)
      : scales_(operands),
        k_(operands.a.cols()),
        factor_(sum_factor + oracle_error_factor(k_)),
        epilogue_(scales_.is_one() ? 0.0 : 2.0 * kUnitRoundoff * (1.0 + 2.0 * kUnitRoundoff)),
        block_scale_(largest_block_scale(operands)),
        // fl(sa·sb) of a block may itself underflow; |t| ≤ k·2¹⁷ for every element format (448² < 2¹⁸, 57344² is not
        // blocked).
        block_underflow_(block_scale_ == 1.0 ? 0.0 : static_cast<double>(k_) * 0x1p18 * kHalfSubnormal) {}

  // `moved`: how far the operands may have moved the sum from `target`; `magnitude`: Σ|â||b̂|. R is in the result.
  double added_to(double moved, double target, double magnitude, std::int64_t row, std::int64_t col) const {
    const double chain = factor_ * magnitude;
    const double reach = std::fabs(target) + moved + chain;
    const double scale = scales_.at(row, col);
    const double underflow = static_cast<double>(k_) * kHalfSubnormal * std::max({scale, block_scale_, 1.0}) +
                             block_underflow_ + (epilogue_ > 0.0 ? (reach / scale + 1.0) * kHalfSubnormal : 0.0);
    return inflation(k_) * (moved + chain + epilogue_ * reach) + underflow;
  }

  // R over Σ|â||b̂| where nothing cancels and nothing underflows.
  double of_magnitude() const { return inflation(k_) * (factor_ + epilogue_ * (1.0 + factor_)); }

 private:
  EpilogueScale scales_;
  std::int64_t k_;
  double factor_, epilogue_, block_scale_, block_underflow_;
};

void add_float_rounding(Matrix<double>& bound, const Matrix<double>& target, const Problem& problem) {
  const Operands& operands = problem.operands;
  const Matrix<double> magnitude =
      product(absolute_dequantized(operands.a).view(), absolute_dequantized(operands.b).view());
  const FloatRounding rounding(operands, gamma_factor(chain_length(problem.k(), operands.accumulation)));
  parallel_for(bound.rows(), [&](std::int64_t row) {
    for (std::int64_t col = 0; col < bound.cols(); ++col) {
      bound(row, col) = rounding.added_to(bound(row, col), target(row, col), magnitude(row, col), row, col);
    }
  });
}

// R of the integer product of the inlier channels, of the FP32 chain over the outliers, and of their sum.
void add_split_rounding(Matrix<double>& bound, const Matrix<double>& target, const Problem& problem) {
  const Operands& operands = problem.operands;
  const EpilogueScale scales(operands);
  const std::int64_t outliers = operands.outlier_a.cols();
  const Matrix<double> inliers = product(absolute_dequantized(operands.a).view(), absolute_dequantized(operands.b).view());
  const Matrix<double> chain = product(absolute(operands.outlier_a.view()).view(), absolute(operands.outlier_b.view()).view());
  parallel_for(bound.rows(), [&](std::int64_t row) {
    for (std::int64_t col = 0; col < bound.cols(); ++col) {
      const double integer = 3.0 * kUnitRoundoff * (1.0 + 4.0 * kUnitRoundoff) * inliers(row, col) +
                             (inliers(row, col) / scales.at(row, col) + 1.0) * kHalfSubnormal;
      const double floating = gamma_factor(outliers) * chain(row, col) + static_cast<double>(outliers) * kHalfSubnormal;
      const double oracle = oracle_error_factor(problem.k()) * (inliers(row, col) + bound(row, col) + chain(row, col));
      const double before = inflation(problem.k()) * (bound(row, col) + integer + floating) + oracle;
      bound(row, col) = before + kUnitRoundoff * (std::fabs(target(row, col)) + before);
    }
  });
}

// What the last steps of the epilogue add: `target` includes the bias already.
void add_epilogue_rounding(Matrix<double>& bound, const Matrix<double>& target, const Operands& operands) {
  for (std::int64_t i = 0; i < bound.size(); ++i) {
    double& value = bound.data()[i];
    const double magnitude = std::fabs(target.data()[i]);
    if (!operands.bias.empty()) value += kUnitRoundoff * (magnitude + value) * (1.0 + kUnitRoundoff);
    if (operands.output == OutputFormat::kFp16) value += 0x1p-11 * (magnitude + value) + 0x1p-25;
  }
}

void add_bias(Matrix<double>& product, const std::vector<float>& bias) {
  if (bias.empty()) return;
  for (std::int64_t row = 0; row < product.rows(); ++row) {
    for (std::int64_t col = 0; col < product.cols(); ++col) product(row, col) += bias[static_cast<std::size_t>(col)];
  }
}

bool is_moved(const Matrix<double>& operand_bound) {
  return std::any_of(operand_bound.flat().begin(), operand_bound.flat().end(),
                     [](double value) { return !(value == 0.0); });
}

Matrix<double> inflated(Matrix<double> bound, std::int64_t k) {
  for (double& value : bound.flat()) value *= inflation(k);
  return bound;
}

void add_rounding(Matrix<double>& bound, const Matrix<double>& target, const Problem& problem) {
  const Operands& operands = problem.operands;
  if (operands.accumulation.order != Order::kInteger) add_float_rounding(bound, target, problem);
  else if (!operands.outlier_a.empty()) add_split_rounding(bound, target, problem);
  else add_integer_rounding(bound, target, problem);
}

}  // namespace

double gamma_factor(std::int64_t n, double unit_roundoff) {
  const double nu = static_cast<double>(n) * unit_roundoff;
  return nu < 1.0 ? nu / (1.0 - nu) : std::numeric_limits<double>::infinity();
}

std::vector<double> day98_limits(View<const float> a, View<const float> b) {
  std::vector<double> limits = max_abs_by_column(b);
  const double max_a = max_abs(a);
  for (double& limit : limits) limit = 4.0 * static_cast<double>(a.cols) * max_a * limit / 127.0;
  return limits;
}

Expectation expect_given(Matrix<double> exact, View<const float> a, View<const float> b, const Operands& operands) {
  const Problem problem{a, b, operands.encoded_a.empty() ? a : operands.encoded_a.view(),
                        operands.encoded_b.empty() ? b : operands.encoded_b.view(), operands};
  Expectation result;
  result.exact = std::move(exact);
  const bool pruned = operands.preparation == Preparation::kPruned;
  if (pruned) result.target = product(a, problem.encoded_b);
  Matrix<double>& target = pruned ? result.target : result.exact;
  result.bound = operand_term(problem);
  if (operands.preparation == Preparation::kScaled || operands.preparation == Preparation::kRotated) {
    add(result.bound, preparation_term(problem));
  }
  if (is_moved(result.bound)) result.operand_bound = inflated(result.bound, problem.k());
  add_rounding(result.bound, target, problem);
  add_bias(result.exact, operands.bias);
  add_bias(result.target, operands.bias);
  add_epilogue_rounding(result.bound, target, operands);
  result.k_gate_by_column = day98_limits(a, b);
  return result;
}

Expectation expect(View<const float> a, View<const float> b, const Operands& operands) {
  return expect_given(product(a, b), a, b, operands);
}

RoundingExpectation expect_rounding(const Operands& operands, SumRounding sum) {
  if (operands.accumulation.order == Order::kInteger) throw std::logic_error("an integer sum does not round");
  RoundingExpectation result;
  result.product = product(dequantized(operands.a).view(), dequantized(operands.b).view());
  const Matrix<double> magnitude =
      product(absolute_dequantized(operands.a).view(), absolute_dequantized(operands.b).view());
  const FloatRounding rounding(operands, gamma_factor(sum.roundings, sum.unit_roundoff));
  result.bound = map(magnitude.rows(), magnitude.cols(), [&](std::int64_t row, std::int64_t col) {
    return rounding.added_to(0.0, result.product(row, col), magnitude(row, col), row, col);
  });
  add_bias(result.product, operands.bias);
  add_epilogue_rounding(result.bound, result.product, operands);
  result.is_vacuous = !(rounding.of_magnitude() < 1.0);
  return result;
}

Expectation with_rounding(Expectation expectation, const RoundingExpectation& rounding) {
  expectation.bound = rounding.bound;
  if (!expectation.operand_bound.empty()) add(expectation.bound, expectation.operand_bound);
  return expectation;
}

Matrix<double> statistical_error(View<const float> a, View<const float> b, const Operands& operands,
                                 const std::vector<std::int64_t>& rows) {
  const View<const float> encoded_a = operands.encoded_a.empty() ? a : operands.encoded_a.view();
  const View<const float> encoded_b = operands.encoded_b.empty() ? b : operands.encoded_b.view();
  const auto variance = [](const QuantizedMatrix& q, View<const float> x, std::int64_t row, std::int64_t col) {
    if (q.error_model == ErrorModel::kOwnCodes) {
      const double error = x(row, col) - q.dequantized(row, col);
      return error * error;
    }
    const double step = quantization_step(q, std::fabs(double{x(row, col)}), row, col);
    return step * step / 3.0;
  };
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto of_row = [&](std::int64_t i) { return rows[static_cast<std::size_t>(i)]; };
  const Matrix<double> a_squares = map(count, a.cols, [&](std::int64_t i, std::int64_t k) {
    const double value = encoded_a(of_row(i), k);
    return value * value;
  });
  const Matrix<double> b_squares = map(b.rows, b.cols, [&](std::int64_t k, std::int64_t col) {
    const double value = operands.b.dequantized(k, col);
    return value * value;
  });
  const Matrix<double> a_variance =
      map(count, a.cols, [&](std::int64_t i, std::int64_t k) { return variance(operands.a, encoded_a, of_row(i), k); });
  const Matrix<double> b_variance =
      map(b.rows, b.cols, [&](std::int64_t k, std::int64_t col) { return variance(operands.b, encoded_b, k, col); });
  Matrix<double> result = product(a_squares.view(), b_variance.view());
  add(result, product(a_variance.view(), b_squares.view()));
  for (double& value : result.flat()) value = std::sqrt(value);
  return result;
}

}  // namespace narrowgate::reference
