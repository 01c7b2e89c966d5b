// Ranges for symmetric quantization, from data: the largest magnitude, a percentile of it, or the range of least
// squared error.
#pragma once

#include <span>

#include "kernels/formats/format.h"

namespace narrowgate::quantize {

// The ⌈p·n⌉-th smallest |x| (nearest rank), 0 < p ≤ 1; p = 1 is the maximum. x is not empty and holds no NaN.
float percentile_range(std::span<const float> x, double p);

// Of the ranges c = fl(amax·i/64), i = 64 … 16, the first with the least Σ(x − x̂)² (a double sum, ascending), where
// x̂ = s·clamp(rne(x/s)) with s = max(fl(c / maximum), 2⁻¹²⁶).
float least_squares_range(std::span<const float> x, const formats::Format& element);

}  // namespace narrowgate::quantize
