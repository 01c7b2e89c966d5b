// The errors of an output, as exact numbers: the same on every machine, whatever the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/reference/bounds.h"

namespace narrowgate {

// An element that a gate names, with what was there, what should have been, and how far apart they may lie.
struct Element {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 0;
  double reference = 0;
  double bound = 0;
};

struct Metrics {
  std::int64_t nonfinite = 0;
  std::int64_t zeros = 0;
  // The rest has a meaning only where nonfinite == 0. Errors are against the original data, in double.
  double max_abs_err = 0;
  double mean_abs_err = 0;
  double rms_err = 0;
  std::int64_t worst_row = 0;
  std::int64_t worst_col = 0;
  // In units of the output's quantization step, sa·sb; empty where the scheme has none.
  std::optional<double> max_err_steps, mean_err_steps, rms_err_steps;
  double bound_fraction = 0;       // largest |Ĉ − target| / worst-case bound
  double k_gate_fraction = 0;      // largest |Ĉ − C| / (4·K·max|A|·max|B[:,c]|/127)
  double sqrtk_gate_fraction = 0;  // the same with √K
  // First offenders in row-major order.
  std::optional<Element> first_nonfinite, first_beyond_bound, first_beyond_k_gate;
};

// A fraction of a limit; without room for any error, any error is infinitely too much.
double fraction(double error, double limit);

Metrics measure(const Matrix<float>& output, const reference::Expectation& expectation, const Operands& operands);

// The largest |Ĉ − target| over its standard deviation, over the given rows; `sigma` holds one row for each of them.
// Nothing where the scheme encodes nothing, so that σ is zero.
std::optional<double> sigma_fraction(const Matrix<float>& output, const std::vector<std::int64_t>& rows,
                                     const reference::Expectation& expectation, const Matrix<double>& sigma);

// The largest error of each column with the bound it was judged by, in at most `bins` bins. `answer` holds one row of
// the product for each entry of `rows`.
struct ColumnProfile {
  std::vector<std::int64_t> first_column;
  std::vector<double> max_abs_err;  // against the target
  std::vector<double> bound;
};
ColumnProfile column_profile(const Matrix<float>& answer, const std::vector<std::int64_t>& rows,
                             const reference::Expectation& expectation, std::int64_t bins);

// Sum of value(i) for i in [first, last) by a fixed tree: halves down to 8 terms, then in order.
template <class Value>
double pairwise_sum(std::int64_t first, std::int64_t last, const Value& value) {
  if (last - first <= 8) {
    double sum = 0.0;
    for (std::int64_t i = first; i < last; ++i) sum += value(i);
    return sum;
  }
  const std::int64_t middle = first + (last - first) / 2;
  return pairwise_sum(first, middle, value) + pairwise_sum(middle, last, value);
}

// Distinct codes of B: over the tensor, and in the column that uses fewest. Nothing where B is not coded.
struct CodeCensus {
  std::int64_t tensor = 0;
  std::int64_t worst_column = 0;
  std::vector<std::int64_t> by_column;
};
std::optional<CodeCensus> code_census(const QuantizedMatrix& b);
// The fewest codes of any column of each bin.
std::vector<std::int64_t> census_by_bin(const CodeCensus& census, const std::vector<std::int64_t>& first_column);

}  // namespace narrowgate
