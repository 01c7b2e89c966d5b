// Patterns in the difference between an output and what it should be. Pure functions over a sample of rows: `c` the
// output, `answer` what was expected, `weight` 1/bound² of each element, 0 for elements that are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/matrix.h"

namespace narrowgate::check {

// Σ weight·(c − reference)²
double distance(const Matrix<float>& c, const Matrix<double>& reference, const Matrix<double>& weight);

// 1 − distance(c, candidate)/distance(c, answer): how much of the difference a candidate explains. Candidates that were
// fitted pay for their parameters; 0 where there are not at least two elements for each.
double explained(const Matrix<float>& c, const Matrix<double>& answer, const Matrix<double>& candidate,
                 const Matrix<double>& weight, std::int64_t parameters);

// answer times the ratio that fits best, one for each column or row.
enum class Axis { kColumns, kRows };
struct RatioFit {
  Matrix<double> candidate;
  std::vector<double> ratios;
};
RatioFit fit_ratios(const Matrix<float>& c, const Matrix<double>& answer, const Matrix<double>& weight, Axis axis);

// answer plus an offset for each column: what a dropped zero point, or another bias, leaves.
struct OffsetFit {
  Matrix<double> candidate;
  std::vector<double> offsets;
};
OffsetFit fit_offsets(const Matrix<float>& c, const Matrix<double>& answer, const Matrix<double>& weight);

// Rows that repeat the row before them, bit by bit, where the answer's differ.
std::vector<std::int64_t> repeated_rows(const Matrix<float>& c);

// Element (i, j) of C for each of `rows` when C's memory holds its transpose.
Matrix<double> read_transposed(const Matrix<float>& c, const std::vector<std::int64_t>& rows);

// "3 dead channels: 17, 40, 511"; of many, the first ten. Empty for none.
std::string strip(const std::string& one, const std::string& many, const std::vector<std::int64_t>& indices);

}  // namespace narrowgate::check
