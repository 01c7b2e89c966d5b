// The same FP32 terms added in different orders.
#pragma once

#include <span>

namespace narrowgate::studies {

// Each addition is rounded to FP32. chain and reversed begin at +0.
float chain_sum(std::span<const float> terms);
float reversed_sum(std::span<const float> terms);
// Halves, the first the larger, down to single terms.
float pairwise_fp32_sum(std::span<const float> terms);
// 32 chains, lane(k) = ⌊k/4⌋ mod 32, then p[l] + p[l xor s] for s = 16, 8, 4, 2, 1: a warp with 16-byte loads of FP32.
float lanes_sum(std::span<const float> terms);

// The distance of neighbouring FP32 numbers at |x|.
double fp32_step(double x);

}  // namespace narrowgate::studies
