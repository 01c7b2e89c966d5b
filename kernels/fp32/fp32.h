// The fp32 family: no quantization, the baseline that the others are compared with.
//
//   fp32.chain   acc = +0;  acc = fma(a[i][k], b[k][j], acc) over ascending k;  C[i][j] = acc        all FP32
#pragma once

#include "kernels/kernel.h"

namespace narrowgate::fp32 {

// A[m×k], B[k×n], C[m×n], row-major with leading dimensions.
struct Arguments {
  View<const float> a;
  View<const float> b;
  View<float> c;
};

Arguments place(const Operands& operands, View<float> c, Memory& memory);

}  // namespace narrowgate::fp32
