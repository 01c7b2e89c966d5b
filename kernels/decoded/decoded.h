// Products of codes that decode to FP32: weight-only integers, FP8, MX, NVFP4, and FP32 itself, which decodes to itself.
//
//   â[i][k], b̂[k][j]   the code's value less its zero point, times its scale where scales vary along k. Exact in FP32
//                      (a small integer times an FP16 scale, an element times a power of two, E2M1 times E4M3) but for
//                      HQQ, whose definition is fl(fl(q − z)·s).
//   chain    acc = fma(b̂[k][j], â[i][k], acc) over ascending k, from +0
//   lanes    32 such chains, lane(k) = ⌊k/v⌋ mod 32; then p[l] + p[l xor s] for s = 16, 8, 4, 2, 1
//   blocks   values without scales; t = chain within a block of k; acc = fma(t, fl(sa[i][block]·sb[block][j]), acc)
//   C[i][j]  = epilogue(acc)                                                                        kernels/epilogue.h
#pragma once

#include "kernels/epilogue.h"
#include "kernels/kernel.h"

namespace narrowgate::decoded {

inline bool computes_floats(const Scheme& scheme) {
  const auto order = scheme.accumulation.order;
  return order == Accumulation::Order::kChain || order == Accumulation::Order::kLanes ||
         order == Accumulation::Order::kBlocks;
}

// Of the `blocks` order: one scale for each row of A and block of k, and for each block and column of B.
struct BlockScales {
  View<const float> a;  // m×blocks
  View<const float> b;  // blocks×n
};
BlockScales place_block_scales(const Operands& operands, Memory& memory);

}  // namespace narrowgate::decoded
