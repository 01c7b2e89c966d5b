// Small integer weights in groups along k, 8-bit integer activations with one scale for each row (w4a8, w2a8).
//
//   t[i][g][j] = Σ over the k of group g of a[i][k]·b[k][j]                    int32, exact
//   acc        = fma(float(t), fl(sa[i]·s[g][j]), acc) over ascending g, from +0
//   C[i][j]    = epilogue(acc)                                                 no scale is left for it
#pragma once

#include "kernels/epilogue.h"
#include "kernels/kernel.h"

namespace narrowgate::group_int8 {

// A[m×k], B[k×n] codes; b_scales[groups×n]; a_scales m values. |t| ≤ 128·127·7 < 2²⁴, so float(t) is exact.
struct Arguments {
  View<const std::int8_t> a;
  View<const std::int8_t> b;
  View<float> c;
  const float* a_scales;
  View<const float> b_scales;
  std::int64_t group;
  Epilogue epilogue;
};

Arguments place(const Operands& operands, View<float> c, Memory& memory);

inline bool computes_groups(const Scheme& scheme) {
  return scheme.accumulation.order == Accumulation::Order::kIntegerBlocks;
}

}  // namespace narrowgate::group_int8
