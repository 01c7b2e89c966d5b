// LLM.int8()'s split (Dettmers et al. 2022, §3): channels of A with a large value leave the integer product.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/matrix.h"

namespace narrowgate::int8 {

inline constexpr float kOutlierThreshold = 6.0f;  // the paper's

// A·B = inlier_a·inlier_b + outlier_a·outlier_b: outlier channels are zero in the first pair and make up the second.
struct SplitOutliers {
  Matrix<float> inlier_a, inlier_b;    // m×k, k×n
  Matrix<float> outlier_a, outlier_b;  // m×o, o×n, ascending k
};

inline SplitOutliers split_outliers(View<const float> a, View<const float> b, float threshold) {
  std::vector<std::int64_t> outliers;
  for (std::int64_t k = 0; k < a.cols; ++k) {
    bool is_outlier = false;
    for (std::int64_t row = 0; row < a.rows; ++row) is_outlier = is_outlier || std::fabs(a(row, k)) >= threshold;
    if (is_outlier) outliers.push_back(k);
  }
  const auto count = static_cast<std::int64_t>(outliers.size());
  SplitOutliers split{Matrix<float>(a.rows, a.cols), Matrix<float>(b.rows, b.cols), Matrix<float>(a.rows, count),
                      Matrix<float>(count, b.cols)};
  for (std::int64_t row = 0; row < a.rows; ++row) std::copy_n(a.row(row), a.cols, split.inlier_a.view().row(row));
  for (std::int64_t k = 0; k < b.rows; ++k) std::copy_n(b.row(k), b.cols, split.inlier_b.view().row(k));
  for (std::int64_t o = 0; o < count; ++o) {
    const std::int64_t k = outliers[static_cast<std::size_t>(o)];
    for (std::int64_t row = 0; row < a.rows; ++row) {
      split.outlier_a(row, o) = a(row, k);
      split.inlier_a(row, k) = 0.0f;
    }
    std::copy_n(b.row(k), b.cols, split.outlier_b.view().row(o));
    std::fill_n(split.inlier_b.view().row(k), b.cols, 0.0f);
  }
  return split;
}

}  // namespace narrowgate::int8
