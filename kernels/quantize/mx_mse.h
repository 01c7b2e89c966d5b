// MX with each block's scale chosen for the least squared error instead of by a rule from its maximum alone.
//
//   c_i = fl(amax · i/64), i = 64, 63, … 16      X_i = the rceil scale of c_i (mx.h)
//   X = the first X_i with the least Σ(x − x̂)²    codes as in mx(), saturating
//
// The sum is one of doubles in ascending k of squares of exact x̂ subtracted from x. X_64 is what rceil takes, so the
// sum is never larger than with it.
#pragma once

#include "kernels/quantize/mx.h"

namespace narrowgate::quantize {

// `element` as in mx(). Refused: an element that is not finite.
OrRefusal<QuantizedMatrix> mx_mse(View<const float> x, const formats::Format& element, BlockAxis axis);

}  // namespace narrowgate::quantize
