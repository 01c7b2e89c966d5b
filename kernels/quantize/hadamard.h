// Rotation by a randomized Hadamard matrix, which spreads outliers over a block: along k, blocks of n = 2ᵖ,
//
//   y = H·(D·x) / √n      D = diag(±1), the sign of element k being the top bit of word k of a Philox stream
//
// Applied to the k axis of A and of B with the same signs it leaves A·B as it is, up to rounding. The order of
// operations is fixed: signs, butterflies of strides 1, 2, 4, …, n/2, each (low, high) → (low + high, low − high), then
// one multiplication by fl(1/√n); all in FP32.
#pragma once

#include "kernels/quantize/mx.h"
#include "kernels/random/philox.h"

namespace narrowgate::quantize {

// `axis` is the axis of x that is k; a tail of fewer than n elements is left as it is.
Matrix<float> hadamard_rotated(View<const float> x, BlockAxis axis, std::int64_t n, const RandomStream& signs);

}  // namespace narrowgate::quantize
