#include "kernels/quantize/factors.h"

#include <algorithm>
#include <cmath>

#include "kernels/formats/records/e8m0.h"
#include "kernels/formats/scalar.h"

namespace narrowgate::quantize {

float rounded_factor(double exact, FactorRounding rounding) {
  if (rounding == FactorRounding::fp32) return static_cast<float>(exact);
  return formats::decode(formats::kE8m0, *formats::encode(formats::kE8m0, exact));
}

std::vector<float> smooth_factors(View<const float> x, View<const float> w, FactorRounding rounding) {
  std::vector<float> x_maxima(static_cast<std::size_t>(x.cols));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      auto& maximum = x_maxima[static_cast<std::size_t>(j)];
      maximum = std::max(maximum, std::fabs(x(row, j)));
    }
  }
  std::vector<float> factors;
  for (std::int64_t j = 0; j < w.rows; ++j) {
    float w_maximum = 0;
    for (std::int64_t col = 0; col < w.cols; ++col) w_maximum = std::max(w_maximum, std::fabs(w(j, col)));
    const float x_maximum = x_maxima[static_cast<std::size_t>(j)];
    const bool is_dead = x_maximum == 0 || w_maximum == 0;
    factors.push_back(is_dead ? 1.0f : rounded_factor(std::sqrt(static_cast<double>(x_maximum) / w_maximum), rounding));
  }
  return factors;
}

Matrix<float> divided_columns(View<const float> x, const std::vector<float>& factors) {
  Matrix<float> result(x.rows, x.cols);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) result(row, col) = x(row, col) / factors[static_cast<std::size_t>(col)];
  }
  return result;
}

Matrix<float> multiplied_rows(View<const float> w, const std::vector<float>& factors) {
  Matrix<float> result(w.rows, w.cols);
  for (std::int64_t row = 0; row < w.rows; ++row) {
    for (std::int64_t col = 0; col < w.cols; ++col) result(row, col) = w(row, col) * factors[static_cast<std::size_t>(row)];
  }
  return result;
}

}  // namespace narrowgate::quantize
