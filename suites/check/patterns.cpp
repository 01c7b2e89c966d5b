#include "suites/check/patterns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace narrowgate::check {
namespace {

constexpr std::size_t kListed = 10;

template <class Visit>
void each(const Matrix<double>& weight, const Visit& visit) {
  for (std::int64_t row = 0; row < weight.rows(); ++row) {
    for (std::int64_t col = 0; col < weight.cols(); ++col) {
      if (weight(row, col) > 0.0) visit(row, col);
    }
  }
}

}  // namespace

double distance(const Matrix<float>& c, const Matrix<double>& reference, const Matrix<double>& weight) {
  double sum = 0.0;
  each(weight, [&](std::int64_t row, std::int64_t col) {
    const double difference = c(row, col) - reference(row, col);
    sum += weight(row, col) * difference * difference;
  });
  return sum;
}

double explained(const Matrix<float>& c, const Matrix<double>& answer, const Matrix<double>& candidate,
                 const Matrix<double>& weight, std::int64_t parameters) {
  std::int64_t count = 0;
  each(weight, [&](std::int64_t, std::int64_t) { ++count; });
  if (count < 2 * std::max<std::int64_t>(parameters, 1)) return 0.0;
  const double before = distance(c, answer, weight);
  const double after = distance(c, candidate, weight) * static_cast<double>(count) / static_cast<double>(count - parameters);
  return before > 0.0 && after < before ? 1.0 - after / before : 0.0;
}

RatioFit fit_ratios(const Matrix<float>& c, const Matrix<double>& answer, const Matrix<double>& weight, Axis axis) {
  const auto count = static_cast<std::size_t>(axis == Axis::kColumns ? c.cols() : c.rows());
  std::vector<double> products(count), squares(count);
  const auto line = [&](std::int64_t row, std::int64_t col) { return static_cast<std::size_t>(axis == Axis::kColumns ? col : row); };
  each(weight, [&](std::int64_t row, std::int64_t col) {
    products[line(row, col)] += weight(row, col) * c(row, col) * answer(row, col);
    squares[line(row, col)] += weight(row, col) * answer(row, col) * answer(row, col);
  });
  RatioFit fit{answer, std::vector<double>(count, 1.0)};
  for (std::size_t i = 0; i < count; ++i) {
    if (squares[i] > 0.0) fit.ratios[i] = products[i] / squares[i];
  }
  each(weight, [&](std::int64_t row, std::int64_t col) { fit.candidate(row, col) *= fit.ratios[line(row, col)]; });
  return fit;
}

OffsetFit fit_offsets(const Matrix<float>& c, const Matrix<double>& answer, const Matrix<double>& weight) {
  const auto count = static_cast<std::size_t>(c.cols());
  std::vector<double> sums(count), weights(count);
  each(weight, [&](std::int64_t row, std::int64_t col) {
    sums[static_cast<std::size_t>(col)] += weight(row, col) * (c(row, col) - answer(row, col));
    weights[static_cast<std::size_t>(col)] += weight(row, col);
  });
  OffsetFit fit{answer, std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    if (weights[i] > 0.0) fit.offsets[i] = sums[i] / weights[i];
  }
  each(weight, [&](std::int64_t row, std::int64_t col) { fit.candidate(row, col) += fit.offsets[static_cast<std::size_t>(col)]; });
  return fit;
}

std::vector<std::int64_t> repeated_rows(const Matrix<float>& c) {
  const auto same = [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); };
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 1; row < c.rows(); ++row) {
    if (std::equal(c.view().row(row), c.view().row(row) + c.cols(), c.view().row(row - 1), same)) rows.push_back(row);
  }
  return rows;
}

Matrix<double> read_transposed(const Matrix<float>& c, const std::vector<std::int64_t>& rows) {
  Matrix<double> result(static_cast<std::int64_t>(rows.size()), c.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t col = 0; col < c.cols(); ++col) {
      result(static_cast<std::int64_t>(i), col) = c.flat()[static_cast<std::size_t>(col * c.rows() + rows[i])];
    }
  }
  return result;
}

std::string strip(const std::string& one, const std::string& many, const std::vector<std::int64_t>& indices) {
  if (indices.empty()) return {};
  const auto listed = indices.begin() + static_cast<std::ptrdiff_t>(std::min(indices.size(), kListed));
  return fmt::format("{} {}: {}{}", indices.size(), indices.size() == 1 ? one : many,
                     fmt::join(indices.begin(), listed, ", "), indices.size() > kListed ? ", …" : "");
}

}  // namespace narrowgate::check
