// Weight quantizers that look at more than the largest magnitude. B is k×n, groups run along k in one column.
//
// All work in double, in ascending order, with + − × ÷ √ and rounding alone, so their codes are the same everywhere.
// They are for offline use; K up to about a thousand. Scales are stored in FP16. Refused: as group_integer.h.
#pragma once

#include <vector>

#include "kernels/quantize/group_integer.h"

namespace narrowgate::quantize {

// Symmetric, with the range of least squared error in each group: c = amax·i/64 for i = 64 … 16, the first minimum,
// judged with the stored scale. i = 64 is round-to-nearest, so the error is never larger.
OrRefusal<QuantizedMatrix> mse_clipped_integer(View<const float> b, const formats::Format& element, std::int64_t group);

// HQQ (Badri and Shaji 2023), p = ½: asymmetric; min–max scales stay, fractional zero points are improved by 20
// half-quadratic steps and kept when Σ√|w − ŵ| of the group falls. Starts from round-to-nearest.
// Zero points are rounded to FP16; ŵ = fl32(fl32(q − z)·s).
OrRefusal<QuantizedMatrix> hqq(View<const float> b, const formats::Format& element, std::int64_t group);
double hqq_objective(View<const float> b, const QuantizedMatrix& q);

// Weights quantized after a scaling of their input channels, which the activations must undo: x_j / factor_j.
struct ScaledWeights {
  QuantizedMatrix weights;     // of b_j · factor_j
  std::vector<float> factors;  // one for each row of b, powers of two
};

// AWQ (Lin et al. 2023): factor_j = (mean|x_j|)^α rounded to a power of two, α the first of {0, ¼, ½, ¾, 1} with the
// least Σ(xb − xb̂)² over the calibration activations `x` (samples×k). α = 0 is round-to-nearest.
OrRefusal<ScaledWeights> awq(View<const float> b, View<const float> x, const formats::Format& element,
                             std::int64_t group);
// Σ(xb − xb̂)² where b̂_j = dequantized_j / factor_j.
double output_error(View<const float> b, View<const float> x, const QuantizedMatrix& q,
                    const std::vector<float>& factors);

// GPTQ (Frantar et al. 2022) in ascending k: the error of each row is spread over the later ones by the Cholesky
// factor of the inverse of XᵀX + damping·I, damping = 1 % of its mean diagonal. Group scales are taken when a group
// begins, symmetric or asymmetric as `element` says.
OrRefusal<QuantizedMatrix> gptq(View<const float> b, View<const float> x, const formats::Format& element,
                                std::int64_t group);

}  // namespace narrowgate::quantize
