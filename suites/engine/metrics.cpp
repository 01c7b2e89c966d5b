#include "suites/engine/metrics.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <limits>

#include "kernels/parallel.h"

namespace narrowgate {
namespace {

// Integer sums come in steps of sa·sb.
bool has_steps(const Operands& operands) {
  return operands.accumulation.order == Accumulation::Order::kInteger && operands.outlier_a.empty();
}

struct RowMetrics {
  std::int64_t nonfinite = 0, zeros = 0, worst_col = 0;
  double max = -1, sum = 0, squares = 0;
  double max_steps = 0, sum_steps = 0, squares_steps = 0;
  double bound_fraction = 0, k_gate_fraction = 0;
  std::optional<Element> first_nonfinite, first_beyond_bound, first_beyond_k_gate;
};

RowMetrics measure_row(std::int64_t row, const Matrix<float>& output, const reference::Expectation& expectation,
                       const Matrix<double>& target, const Operands& operands, std::vector<double>& errors) {
  RowMetrics result;
  for (std::int64_t col = 0; col < output.cols(); ++col) {
    const double value = output(row, col);
    const double error = std::fabs(value - expectation.exact(row, col));
    errors[static_cast<std::size_t>(col)] = error;
    result.zeros += value == 0.0;
    const Element here{row, col, value, target(row, col), expectation.bound(row, col)};
    if (!std::isfinite(value)) {
      if (result.nonfinite++ == 0) result.first_nonfinite = here;
      continue;
    }
    if (error > result.max) {
      result.max = error;
      result.worst_col = col;
    }
    const double distance = std::fabs(value - target(row, col));
    result.bound_fraction = std::max(result.bound_fraction, fraction(distance, here.bound));
    if (!(distance <= here.bound) && !result.first_beyond_bound) result.first_beyond_bound = here;
    const double k_gate = expectation.k_gate_by_column[static_cast<std::size_t>(col)];
    result.k_gate_fraction = std::max(result.k_gate_fraction, fraction(error, k_gate));
    if (!(error <= k_gate) && !result.first_beyond_k_gate) {
      result.first_beyond_k_gate = Element{row, col, value, expectation.exact(row, col), k_gate};
    }
  }
  const auto error_at = [&](std::int64_t col) { return errors[static_cast<std::size_t>(col)]; };
  result.sum = pairwise_sum(0, output.cols(), error_at);
  result.squares = pairwise_sum(0, output.cols(), [&](std::int64_t col) { return error_at(col) * error_at(col); });
  if (!has_steps(operands)) return result;
  const auto steps_at = [&](std::int64_t col) {
    return error_at(col) / (double{operands.a.scale_at(row, 0)} * double{operands.b.scale_at(0, col)});
  };
  for (std::int64_t col = 0; col < output.cols(); ++col) result.max_steps = std::max(result.max_steps, steps_at(col));
  result.sum_steps = pairwise_sum(0, output.cols(), steps_at);
  result.squares_steps = pairwise_sum(0, output.cols(), [&](std::int64_t col) { return steps_at(col) * steps_at(col); });
  return result;
}

// Rows in order, so "first" and "worst" name the same element however the rows were scheduled.
void merge(Metrics& total, const RowMetrics& row, std::int64_t index) {
  total.nonfinite += row.nonfinite;
  total.zeros += row.zeros;
  if (row.max > total.max_abs_err || index == 0) {
    total.max_abs_err = std::max(row.max, 0.0);
    total.worst_row = index;
    total.worst_col = row.worst_col;
  }
  total.bound_fraction = std::max(total.bound_fraction, row.bound_fraction);
  total.k_gate_fraction = std::max(total.k_gate_fraction, row.k_gate_fraction);
  if (!total.first_nonfinite) total.first_nonfinite = row.first_nonfinite;
  if (!total.first_beyond_bound) total.first_beyond_bound = row.first_beyond_bound;
  if (!total.first_beyond_k_gate) total.first_beyond_k_gate = row.first_beyond_k_gate;
}

}  // namespace

double fraction(double error, double limit) {
  if (error == 0.0) return 0.0;
  return limit > 0.0 ? error / limit : std::numeric_limits<double>::infinity();
}

Metrics measure(const Matrix<float>& output, const reference::Expectation& expectation, const Operands& operands) {
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  std::vector<RowMetrics> rows(static_cast<std::size_t>(output.rows()));
  parallel_for(output.rows(), [&](std::int64_t row) {
    std::vector<double> errors(static_cast<std::size_t>(output.cols()));
    rows[static_cast<std::size_t>(row)] = measure_row(row, output, expectation, target, operands, errors);
  });
  Metrics total;
  for (std::int64_t row = 0; row < output.rows(); ++row) merge(total, rows[static_cast<std::size_t>(row)], row);

  const double elements = static_cast<double>(output.size());
  const auto sum_of = [&](double RowMetrics::* field) {
    return pairwise_sum(0, output.rows(), [&](std::int64_t row) { return rows[static_cast<std::size_t>(row)].*field; });
  };
  total.mean_abs_err = sum_of(&RowMetrics::sum) / elements;
  total.rms_err = std::sqrt(sum_of(&RowMetrics::squares) / elements);
  total.sqrtk_gate_fraction = total.k_gate_fraction * std::sqrt(static_cast<double>(operands.a.cols()));
  if (has_steps(operands)) {
    total.max_err_steps = 0.0;
    for (const RowMetrics& row : rows) total.max_err_steps = std::max(*total.max_err_steps, row.max_steps);
    total.mean_err_steps = sum_of(&RowMetrics::sum_steps) / elements;
    total.rms_err_steps = std::sqrt(sum_of(&RowMetrics::squares_steps) / elements);
  }
  return total;
}

std::optional<double> sigma_fraction(const Matrix<float>& output, const std::vector<std::int64_t>& rows,
                                     const reference::Expectation& expectation, const Matrix<double>& sigma) {
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  std::optional<double> largest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t col = 0; col < output.cols(); ++col) {
      const double deviation = sigma(static_cast<std::int64_t>(i), col);
      if (!(deviation > 0.0)) continue;
      largest = std::max(largest.value_or(0.0), std::fabs(output(rows[i], col) - target(rows[i], col)) / deviation);
    }
  }
  return largest;
}

ColumnProfile column_profile(const Matrix<float>& answer, const std::vector<std::int64_t>& rows,
                             const reference::Expectation& expectation, std::int64_t bins) {
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  const std::int64_t count = std::min(bins, answer.cols());
  ColumnProfile profile;
  for (std::int64_t bin = 0; bin < count; ++bin) {
    const std::int64_t first = bin * answer.cols() / count;
    const std::int64_t last = (bin + 1) * answer.cols() / count;
    double worst = -1.0, error_there = 0.0, bound_there = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::int64_t col = first; col < last; ++col) {
        const double error = std::fabs(answer(static_cast<std::int64_t>(i), col) - target(rows[i], col));
        const double bound = expectation.bound(rows[i], col);
        const double used = std::isfinite(error) ? fraction(error, bound) : std::numeric_limits<double>::infinity();
        if (!(used > worst)) continue;
        worst = used;
        error_there = error;
        bound_there = bound;
      }
    }
    profile.first_column.push_back(first);
    profile.max_abs_err.push_back(error_there);
    profile.bound.push_back(bound_there);
  }
  return profile;
}

std::optional<CodeCensus> code_census(const QuantizedMatrix& b) {
  if (b.is_float()) return std::nullopt;
  std::vector<std::bitset<256>> seen(static_cast<std::size_t>(b.cols()));
  for (std::int64_t row = 0; row < b.rows(); ++row) {
    for (std::int64_t col = 0; col < b.cols(); ++col) {
      seen[static_cast<std::size_t>(col)].set(static_cast<std::size_t>(b.codes(row, col) + 128));
    }
  }
  CodeCensus census;
  std::bitset<256> all;
  for (const auto& column : seen) {
    all |= column;
    census.by_column.push_back(static_cast<std::int64_t>(column.count()));
  }
  census.tensor = static_cast<std::int64_t>(all.count());
  census.worst_column = *std::min_element(census.by_column.begin(), census.by_column.end());
  return census;
}

std::vector<std::int64_t> census_by_bin(const CodeCensus& census, const std::vector<std::int64_t>& first_column) {
  std::vector<std::int64_t> fewest;
  for (std::size_t bin = 0; bin < first_column.size(); ++bin) {
    const auto begin = census.by_column.begin() + first_column[bin];
    const auto end = bin + 1 < first_column.size() ? census.by_column.begin() + first_column[bin + 1] : census.by_column.end();
    fewest.push_back(*std::min_element(begin, end));
  }
  return fewest;
}

}  // namespace narrowgate
