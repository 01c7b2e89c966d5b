// SmoothQuant's factors at any quarter of α.
#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace narrowgate::studies {

// factor_j = max|x_j|^α / max|w_j|^(1−α) with α = quarters/4, powers by square roots alone; 1 where a maximum is zero.
// x is samples×k, w is k×n. At α = ½ it is quantize::smooth_factors but for the last bit.
std::vector<float> smooth_factors_at(View<const float> x, View<const float> w, int quarters);

}  // namespace narrowgate::studies
