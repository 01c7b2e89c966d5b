// Products that keep a scheme's order, with B packed once: blocked for caches and registers, vectors over n, threads
// over m (ordered_product-inl.h). The fast way on the CPU for every kind of codes that decode to FP32 or to integers.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/accumulation.h"
#include "kernels/matrix.h"
#include "kernels/reference/k_plan.h"

namespace narrowgate {

// Gets the n finished sums of a row, once for each row, from any thread; it may change them.
template <class Sum>
using FinishRow = std::function<void(std::int64_t row, Sum* sums)>;
// acc = fma(t, scale, acc) for each column of a row, after each block of k.
template <class Sum>
using JoinBlock = std::function<void(std::int64_t row, std::int64_t block, const Sum* block_sums, float* acc)>;

class PackedFloatProduct {
 public:
  // B[k×n]. The order is kChain, kLanes or kBlocks.
  PackedFloatProduct(View<const float> b, Accumulation accumulation);
  void run(View<const float> a, const FinishRow<float>& finish) const;  // kChain, kLanes
  void run_blocks(View<const float> a, const JoinBlock<float>& join, const FinishRow<float>& finish) const;

 private:
  Accumulation accumulation_;
  KPlan plan_;
  std::int64_t columns_;
  AlignedVector<float> packed_;
};

class PackedIntegerProduct {
 public:
  // B[k×n]. The order is kInteger or kIntegerBlocks.
  PackedIntegerProduct(View<const std::int8_t> b, Accumulation accumulation);
  void run(View<const std::int8_t> a, const FinishRow<std::int32_t>& finish) const;  // kInteger
  void run_blocks(View<const std::int8_t> a, const JoinBlock<std::int32_t>& join, const FinishRow<float>& finish) const;

 private:
  KPlan plan_;
  std::int64_t columns_;
  AlignedVector<std::int32_t> packed_;
};

}  // namespace narrowgate
