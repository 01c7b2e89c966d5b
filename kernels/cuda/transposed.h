// Weights as libraries want them for their fastest layout: stored once by columns.
#pragma once

#include "kernels/matrix.h"

namespace narrowgate::cuda {

template <class T>
Matrix<T> transposed(const Matrix<T>& x) {
  Matrix<T> result(x.cols(), x.rows());
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t col = 0; col < x.cols(); ++col) result(col, row) = x(row, col);
  }
  return result;
}

}  // namespace narrowgate::cuda
