// Weight quantizers that look at more than the largest magnitude. B is k×n, groups run along k in one column.
//
// All work in double, in ascending order, with + − × ÷ √ and rounding alone, so their codes are the same everywhere.
// They are for offline use; K up to about a thousand. Scales are stored in FP16. Refused: as group_integer.h, and
// calibration activations that are not finite. `element` has 4 or 2 bits.
//
// The orders of operations written below are part of the result: sums begin at zero and add or subtract one rounded
// product after the other.
#pragma once

#include <vector>

#include "kernels/quantize/group_integer.h"

namespace narrowgate::quantize {

// Symmetric, with the range of least squared error in each group: c = amax·i/64 for i = 64 … 16, the first minimum,
// judged with the stored scale. i = 64 is round-to-nearest, so the error is never larger.
// c is one FP32 product; the error is Σ(x − s·q)² over ascending k, with q from an FP32 quotient as in the symmetric
// form. A c whose scale FP16 cannot hold is not judged.
OrRefusal<QuantizedMatrix> mse_clipped_integer(View<const float> b, const formats::Format& element, std::int64_t group);

// HQQ (Badri and Shaji 2023), p = ½: asymmetric; min–max scales stay, fractional zero points are improved by 20
// half-quadratic steps and kept when Σ√|w − ŵ| of the group falls. Starts from round-to-nearest.
// Zero points are rounded to FP16; ŵ = fl32(fl32(q − z)·s). A step, with β = 10 at first and 1.01 times as much after
// each, works on the iterate before it, kept or not:
//
//   e = sign(d)·max(|d| − 1/(β·√|d|), 0), d = w − ŵ      e = 0 where d = 0
//   z = FP16((Σ (q − (w − e)/s)) / count)                  saturating
//   q = clamp(rne(w/s + z), 0, 2ᵇ − 1)
//
// All sums ascend with k. The first of the iterates with the least Σ√|w − ŵ|, round-to-nearest included, is the result.
OrRefusal<QuantizedMatrix> hqq(View<const float> b, const formats::Format& element, std::int64_t group);
double hqq_objective(View<const float> b, const QuantizedMatrix& q);

// Weights quantized after a scaling of their input channels, which the activations must undo: x_j / factor_j.
struct ScaledWeights {
  QuantizedMatrix weights;     // of b_j · factor_j
  std::vector<float> factors;  // one for each row of b, powers of two
};

// AWQ (Lin et al. 2023): factor_j = (mean|x_j|)^α rounded to a power of two, α the first of {0, ¼, ½, ¾, 1} with the
// least Σ(xb − xb̂)² over the calibration activations `x` (samples×k). α = 0 is round-to-nearest.
// The mean is a sum over ascending samples, divided once; its powers are √√, √ and √·√√; a mean of zero gives the
// factor 1. Weights are multiplied in FP32. An α whose weights or scales overflow is passed over, α = 0 excepted: that
// is refused.
OrRefusal<ScaledWeights> awq(View<const float> b, View<const float> x, const formats::Format& element,
                             std::int64_t group);
// Σ(xb − xb̂)² where b̂_j = dequantized_j / factor_j: for each column d_j = b_j − b̂_j, Σ_samples (Σ_j x_j·d_j)², both
// ascending; then the columns' sums in ascending order.
double output_error(View<const float> b, View<const float> x, const QuantizedMatrix& q,
                    const std::vector<float>& factors);

// GPTQ (Frantar et al. 2022) in ascending k: the error of each row is spread over the later ones by the Cholesky
// factor of the inverse of XᵀX + damping·I, damping = 1 % of its mean diagonal. Group scales are taken when a group
// begins, symmetric or asymmetric as `element` says.
//
//   H = XᵀX over ascending samples, then damping = 0.01·trace/K (1 if the trace is 0) added to its diagonal
//   R(i,j) = (H(i,j) − Σ R(i,m)·R(j,m)) / R(j,j), m descending from K − 1 to j + 1; R(j,j) the root of its numerator
//   L(k,j) = −(Σ R(j,m)·L(k,m)) / R(j,j), m ascending from j + 1 to k; L(k,k) = 1/R(k,k); so H⁻¹ = L·Lᵀ
//   w_k = b_k − Σ e_j·L(k,j), j ascending; a group's lo and hi are those of its w after the rows before the group
//   s = max(FP16(range/qmax), floor)   z = clamp(rne(−lo/s), 0, 2ᵇ − 1), or 0
//   q = clamp(rne(w_k/s) + z, …)       e_k = (w_k − s·(q − z)) / L(k,k)
OrRefusal<QuantizedMatrix> gptq(View<const float> b, View<const float> x, const formats::Format& element,
                                std::int64_t group);

}  // namespace narrowgate::quantize
