#include "kernels/quantize/hadamard.h"

#include <algorithm>
#include <cmath>

namespace narrowgate::quantize {
namespace {

// One block of n elements, `stride` apart, that begins at position k of its axis.
void rotate(float* x, std::int64_t stride, std::int64_t n, std::int64_t k, const RandomStream& signs) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (philox_word(signs, static_cast<std::uint64_t>(k + i)) >> 31 != 0) x[i * stride] = -x[i * stride];
  }
  for (std::int64_t half = 1; half < n; half *= 2) {
    for (std::int64_t i = 0; i < n; ++i) {
      if ((i & half) != 0) continue;
      float& low = x[i * stride];
      float& high = x[(i + half) * stride];
      const float sum = low + high;
      high = low - high;
      low = sum;
    }
  }
  const auto norm = static_cast<float>(1 / std::sqrt(static_cast<double>(n)));
  for (std::int64_t i = 0; i < n; ++i) x[i * stride] *= norm;
}

}  // namespace

Matrix<float> hadamard_rotated(View<const float> x, BlockAxis axis, std::int64_t n, const RandomStream& signs) {
  Matrix<float> y(x.rows, x.cols);
  for (std::int64_t row = 0; row < x.rows; ++row) std::copy_n(x.row(row), x.cols, y.view().row(row));
  const bool k_is_rows = axis == BlockAxis::rows;
  const std::int64_t lines = k_is_rows ? x.cols : x.rows;
  const std::int64_t length = k_is_rows ? x.rows : x.cols;
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t k = 0; k + n <= length; k += n) {
      float* first = k_is_rows ? &y(k, line) : &y(line, k);
      rotate(first, k_is_rows ? x.cols : 1, n, k, signs);
    }
  }
  return y;
}

}  // namespace narrowgate::quantize
