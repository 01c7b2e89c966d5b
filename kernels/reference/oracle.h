// The double-precision oracle: what the product is, up to double rounding, over whatever data it is given.
//
// Every element is one chain acc = fma(a, b, acc) over ascending k in FP64, so the oracle itself is deterministic on
// every machine. Its own error is at most oracle_error_factor(k)·Σ|a||b|; a product of two FP32 values is exact.
#pragma once

#include "kernels/matrix.h"

namespace narrowgate::reference {

// A[m×k] · B[k×n]
Matrix<double> product(View<const float> a, View<const float> b);
Matrix<double> product(View<const double> a, View<const double> b);

// k·2⁻⁵³ / (1 − k·2⁻⁵³): γ of a chain of k FP64 operations.
double oracle_error_factor(std::int64_t k);

}  // namespace narrowgate::reference
