#include <algorithm>
#include <cmath>

#include "kernels/formats/records/fp16.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/weight_quantizers.h"

namespace narrowgate::quantize {
namespace {

constexpr double kDamping = 0.01;

// XᵀX + damping: sums over ascending samples.
Matrix<double> damped_hessian(View<const float> x) {
  Matrix<double> hessian(x.cols, x.cols);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < x.cols; ++i) {
    for (std::int64_t sample = 0; sample < x.rows; ++sample) {
      const double left = x(sample, i);
      for (std::int64_t j = 0; j < x.cols; ++j) hessian(i, j) += left * x(sample, j);
    }
  }
  double trace = 0;
  for (std::int64_t i = 0; i < x.cols; ++i) trace += hessian(i, i);
  // Activations of zero say nothing: any positive diagonal makes the rows independent.
  const double damping = trace == 0 ? 1.0 : kDamping * trace / static_cast<double>(x.cols);
  for (std::int64_t i = 0; i < x.cols; ++i) hessian(i, i) += damping;
  return hessian;
}

// In place: the upper triangle of H becomes R with H = R·Rᵀ, columns from the last to the first.
void factor_from_the_end(Matrix<double>& h) {
  for (std::int64_t last = h.rows() - 1; last >= 0; --last) {
    const double pivot = std::sqrt(h(last, last));
    h(last, last) = pivot;
    std::vector<double> column;
    for (std::int64_t i = 0; i < last; ++i) column.push_back(h(i, last) /= pivot);
    for (std::int64_t i = 0; i < last; ++i) {
      for (std::int64_t j = i; j < last; ++j) h(i, j) -= column[static_cast<std::size_t>(i)] * column[static_cast<std::size_t>(j)];
    }
  }
}

// Inverse of an upper triangle. With H = R·Rᵀ, U = R⁻¹ gives H⁻¹ = Uᵀ·U: the factor GPTQ wants.
Matrix<double> inverse_of_upper(const Matrix<double>& r) {
  Matrix<double> u(r.rows(), r.cols());
  for (std::int64_t row = r.rows() - 1; row >= 0; --row) {
    u(row, row) = 1 / r(row, row);
    for (std::int64_t middle = row + 1; middle < r.rows(); ++middle) {
      const double left = r(row, middle);
      for (std::int64_t col = middle; col < r.cols(); ++col) u(row, col) -= left * u(middle, col);
    }
    for (std::int64_t col = row + 1; col < r.cols(); ++col) u(row, col) /= r(row, row);
  }
  return u;
}

Matrix<double> inverse_factor(View<const float> x) {
  Matrix<double> hessian = damped_hessian(x);
  factor_from_the_end(hessian);
  return inverse_of_upper(hessian);
}

// Weights in double, corrected as rows are fixed, and the codes fixed so far.
class Solver {
 public:
  Solver(View<const float> b, const formats::Format& element, std::int64_t group)
      : group_(group), weights_(b.rows, b.cols) {
    result_.codes = Matrix<std::int8_t>(b.rows, b.cols);
    result_.granularity = {group, 1};
    result_.element = &element;
    result_.scale_format = &formats::kFp16;
    for (std::int64_t row = 0; row < b.rows; ++row) std::copy_n(b.row(row), b.cols, weights_.view().row(row));
  }

  // Scales and zero points of the group that begins at `first`, from the weights as they now are.
  bool begin_group(std::int64_t first) {
    const std::int64_t last = std::min(first + group_, weights_.rows());
    const formats::Format& element = *result_.element;
    for (std::int64_t col = 0; col < weights_.cols(); ++col) {
      double low = 0;
      double high = 0;
      for (std::int64_t row = first; row < last; ++row) {
        low = std::min(low, weights_(row, col));
        high = std::max(high, weights_(row, col));
      }
      const double range = element.is_signed ? std::max(-low, high) : high - low;
      const float scale = stored_scale(range / element.maximum, ScaleStorage::fp16);
      if (!std::isfinite(scale)) return false;
      result_.scales.push_back(scale);
      if (!element.is_signed) {
        const double zero_point = std::clamp(std::nearbyint(-low / scale), 0.0, static_cast<double>(element.maximum));
        result_.zero_points.push_back(static_cast<std::int32_t>(zero_point));
      }
    }
    return true;
  }

  // Fixes the codes of a row and takes their error, scaled by the factor's row, from the rows below.
  void fix_row(std::int64_t row, const Matrix<double>& u) {
    std::vector<double> errors;
    for (std::int64_t col = 0; col < weights_.cols(); ++col) {
      const double zero_point = result_.zero_point_at(row, col);
      const double code = std::nearbyint(weights_(row, col) / result_.scale_at(row, col)) + zero_point;
      const formats::Format& element = *result_.element;
      result_.codes(row, col) = static_cast<std::int8_t>(std::clamp<double>(code, element.minimum, element.maximum));
      errors.push_back((weights_(row, col) - result_.dequantized(row, col)) / u(row, row));
    }
#pragma omp parallel for schedule(static)
    for (std::int64_t below = row + 1; below < weights_.rows(); ++below) {
      double* out = weights_.view().row(below);
      for (std::int64_t col = 0; col < weights_.cols(); ++col) out[col] -= errors[static_cast<std::size_t>(col)] * u(row, below);
    }
  }

  QuantizedMatrix result() && { return std::move(result_); }

 private:
  std::int64_t group_;
  Matrix<double> weights_;
  QuantizedMatrix result_;
};

}  // namespace

OrRefusal<QuantizedMatrix> gptq(View<const float> b, View<const float> x, const formats::Format& element,
                                std::int64_t group) {
  if (auto finite = refuse_non_finite(b); !finite) return tl::unexpected(finite.error());
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  const Matrix<double> u = inverse_factor(x);
  Solver solver(b, element, group);
  for (std::int64_t row = 0; row < b.rows; ++row) {
    if (row % group == 0 && !solver.begin_group(row)) {
      return tl::unexpected(Refusal{"a group's scale is beyond FP16"});
    }
    solver.fix_row(row, u);
  }
  return std::move(solver).result();
}

}  // namespace narrowgate::quantize
