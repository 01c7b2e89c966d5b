// Factors for the input channels (the k axis) that move range between activations and weights.
#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace narrowgate::quantize {

enum class FactorRounding { fp32, power_of_two };

// A positive factor, rounded to nearest even in FP32, or to the nearest power of two within 2⁻¹²⁷ … 2¹²⁷, as E8M0
// encodes it: of two as near, the one whose code is even, so 1.5 becomes 2 and 3 becomes 2.
float rounded_factor(double exact, FactorRounding rounding);

// SmoothQuant (Xiao et al. 2022) at α = ½: factor_j = √(max|x_j| / max|w_j|), where x is m×k and w is k×n; 1 where
// either maximum is zero. Quotient and root are rounded to double. Activations are divided by it, weights multiplied.
std::vector<float> smooth_factors(View<const float> x, View<const float> w, FactorRounding rounding);

// x(:, j) / factor_j and w(j, :) · factor_j, one rounding an element; none with powers of two in range.
Matrix<float> divided_columns(View<const float> x, const std::vector<float>& factors);
Matrix<float> multiplied_rows(View<const float> w, const std::vector<float>& factors);

}  // namespace narrowgate::quantize
