// GPTQ column by column: every weight gathers the errors of the rows before it when its turn comes.
#include <algorithm>

#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using quantize::ScaleStorage;

// XᵀX + damping·I
Matrix<double> damped_hessian(View<const float> x) {
  Matrix<double> h(x.cols, x.cols);
  parallel_for(x.cols, [&](std::int64_t i) {
    for (std::int64_t sample = 0; sample < x.rows; ++sample) {
      for (std::int64_t j = 0; j < x.cols; ++j) h(i, j) += static_cast<double>(x(sample, i)) * x(sample, j);
    }
  });
  double trace = 0;
  for (std::int64_t i = 0; i < x.cols; ++i) trace += h(i, i);
  const double damping = trace == 0 ? 1.0 : 0.01 * trace / static_cast<double>(x.cols);
  for (std::int64_t i = 0; i < x.cols; ++i) h(i, i) += damping;
  return h;
}

// The upper triangle R with H = R·Rᵀ:
//   R(i,j) = (H(i,j) − Σ R(i,m)·R(j,m)) / R(j,j) over descending m > j, and R(j,j) the root of its numerator.
Matrix<double> upper_factor(const Matrix<double>& h) {
  Matrix<double> r(h.rows(), h.cols());
  for (std::int64_t j = h.rows() - 1; j >= 0; --j) {
    const auto numerator = [&](std::int64_t i) {
      double rest = h(i, j);
      for (std::int64_t m = h.rows() - 1; m > j; --m) rest -= r(i, m) * r(j, m);
      return rest;
    };
    r(j, j) = std::sqrt(numerator(j));
    for (std::int64_t i = 0; i < j; ++i) r(i, j) = numerator(i) / r(j, j);
  }
  return r;
}

// The lower triangle L = (R⁻¹)ᵀ, for which H⁻¹ = L·Lᵀ:
//   L(k,k) = 1 / R(k,k), L(k,j) = −(Σ R(j,m)·L(k,m) over ascending m in (j, k]) / R(j,j)
Matrix<double> inverse_factor(const Matrix<double>& r) {
  Matrix<double> l(r.rows(), r.cols());
  parallel_for(r.rows(), [&](std::int64_t k) {
    l(k, k) = 1 / r(k, k);
    for (std::int64_t j = k - 1; j >= 0; --j) {
      double sum = 0;
      for (std::int64_t m = j + 1; m <= k; ++m) sum -= r(j, m) * l(k, m);
      l(k, j) = sum / r(j, j);
    }
  });
  return l;
}

// One column of weights in double, on its way to codes.
class Column {
 public:
  Column(View<const float> b, std::int64_t col, const Matrix<double>& factor) : factor_(factor) {
    for (std::int64_t k = 0; k < b.rows; ++k) weights_.push_back(b(k, col));
  }
  // Scale and zero point of rows [first, last), whose weights take over the errors of all rows before `first`.
  void begin_group(std::int64_t first, std::int64_t last, const formats::Format& element) {
    double low = 0;
    double high = 0;
    for (std::int64_t k = first; k < last; ++k) {
      take_errors(k, 0, first);
      low = std::min(low, weights_[static_cast<std::size_t>(k)]);
      high = std::max(high, weights_[static_cast<std::size_t>(k)]);
    }
    const double range = element.is_signed ? std::max(-low, high) : high - low;
    scale = stored(range / element.maximum, ScaleStorage::fp16);
    zero_point = element.is_signed ? 0 : static_cast<int>(clamped(nearest_even(-low / scale), 0, element.maximum));
    first_of_group_ = first;
  }
  int fix(std::int64_t k, const formats::Format& element) {
    take_errors(k, first_of_group_, k);
    const double weight = weights_[static_cast<std::size_t>(k)];
    const double code = clamped(nearest_even(weight / scale) + zero_point, element.minimum, element.maximum);
    errors_.push_back((weight - static_cast<double>(scale) * (code - zero_point)) / factor_(k, k));
    return static_cast<int>(code);
  }
  float scale = 0;
  int zero_point = 0;

 private:
  // The weight of row k less what the errors of rows [first, last) ask of it.
  void take_errors(std::int64_t k, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) {
      weights_[static_cast<std::size_t>(k)] -= errors_[static_cast<std::size_t>(j)] * factor_(k, j);
    }
  }

  const Matrix<double>& factor_;
  std::vector<double> weights_;
  std::vector<double> errors_;
  std::int64_t first_of_group_ = 0;
};

}  // namespace

QuantizedMatrix replay_gptq(View<const float> b, View<const float> x, const formats::Format& element,
                            std::int64_t group) {
  const Matrix<double> factor = inverse_factor(upper_factor(damped_hessian(x)));
  QuantizedMatrix q = blank(b, {group, 1}, &element, format_of(ScaleStorage::fp16));
  const auto blocks = static_cast<std::size_t>(q.granularity.block_rows(b.rows) * b.cols);
  q.scales.resize(blocks);
  if (!element.is_signed) q.zero_points.resize(blocks);
  parallel_for(b.cols, [&](std::int64_t col) {
    Column column(b, col, factor);
    for (std::int64_t k = 0; k < b.rows; ++k) {
      if (k % group == 0) {
        column.begin_group(k, std::min(k + group, b.rows), element);
        q.scales[q.block_at(k, col)] = column.scale;
        if (!element.is_signed) q.zero_points[q.block_at(k, col)] = column.zero_point;
      }
      q.codes(k, col) = static_cast<std::int8_t>(column.fix(k, element));
    }
  });
  return q;
}

}  // namespace narrowgate::reference
