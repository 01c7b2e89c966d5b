#include "kernels/reference/packed_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reference/packed_product.cpp"
#include <hwy/foreach_target.h>

#include "kernels/reference/ordered_product-inl.h"

#ifndef NARROWGATE_PACKED_PRODUCT_TAKE_
#define NARROWGATE_PACKED_PRODUCT_TAKE_
namespace narrowgate {
// Gets the sums of one segment of one row.
template <class Sum>
using TakeSegment = std::function<void(std::int64_t segment, std::int64_t row, Sum* sums)>;
}  // namespace narrowgate
#endif

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {

AlignedVector<float> pack_floats(View<const float> b, const KPlan& plan) { return pack_b<FloatChain<float>>(b, plan); }
AlignedVector<std::int32_t> pack_integers(View<const std::int8_t> b, const KPlan& plan) {
  return pack_b<IntegerPairs>(b, plan);
}

void multiply_floats(View<const float> a, const KPlan& plan, const float* packed_b, std::int64_t columns,
                     const TakeSegment<float>& take) {
  ordered_product<FloatChain<float>>(a, plan, packed_b, columns, take);
}
void multiply_integers(View<const std::int8_t> a, const KPlan& plan, const std::int32_t* packed_b, std::int64_t columns,
                       const TakeSegment<std::int32_t>& take) {
  ordered_product<IntegerPairs>(a, plan, packed_b, columns, take);
}

}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate {

HWY_EXPORT(pack_floats);
HWY_EXPORT(pack_integers);
HWY_EXPORT(multiply_floats);
HWY_EXPORT(multiply_integers);

namespace {

constexpr std::int64_t kPairs = 2;  // int16 values in a word

// A vector of `columns` floats for each row that a task is at work on and each of `count` purposes.
class RowScratch {
 public:
  RowScratch(std::int64_t columns, std::int64_t count) : columns_(columns) {
    values_.resize(static_cast<std::size_t>(columns * count * kBlockRows));
  }
  float* at(std::int64_t row, std::int64_t purpose) {
    return values_.data() + (purpose * kBlockRows + row % kBlockRows) * columns_;
  }

 private:
  std::int64_t columns_;
  static thread_local AlignedVector<float> values_;
};
thread_local AlignedVector<float> RowScratch::values_;

// Adds the sum of segment s to those of its neighbours in the xor tree, like the carries of a binary counter.
void add_lane(std::int64_t segment, std::int64_t row, float* sums, std::int64_t columns,
              const FinishRow<float>& finish) {
  RowScratch scratch(columns, 5);
  int level = 0;
  for (; (segment >> level & 1) != 0; ++level) {
    const float* earlier = scratch.at(row, level);
    for (std::int64_t col = 0; col < columns; ++col) sums[col] = earlier[col] + sums[col];
  }
  if (segment + 1 == kLaneCount) finish(row, sums);
  else std::copy_n(sums, columns, scratch.at(row, level));
}

// Joins one block of k to the sums of its row, and hands them over after the last.
template <class Sum>
TakeSegment<Sum> joining(const KPlan& plan, std::int64_t columns, const JoinBlock<Sum>& join,
                         const FinishRow<float>& finish) {
  const auto last = static_cast<std::int64_t>(plan.segment_words.size()) - 1;
  return [=, &join, &finish](std::int64_t block, std::int64_t row, Sum* sums) {
    float* acc = RowScratch(columns, 1).at(row, 0);
    if (block == 0) std::fill_n(acc, columns, 0.0f);
    join(row, block, sums, acc);
    if (block == last) finish(row, acc);
  };
}

KPlan float_plan(std::int64_t k, Accumulation accumulation) {
  switch (accumulation.order) {
    case Accumulation::Order::kLanes: return lane_plan(k, accumulation.length);
    case Accumulation::Order::kBlocks: return block_plan(k, accumulation.length, 1);
    default: return chain_plan(k, 1);
  }
}

}  // namespace

PackedFloatProduct::PackedFloatProduct(View<const float> b, Accumulation accumulation)
    : accumulation_(accumulation),
      plan_(float_plan(b.rows, accumulation)),
      columns_(b.cols),
      packed_(HWY_DYNAMIC_DISPATCH(pack_floats)(b, plan_)) {}

void PackedFloatProduct::run(View<const float> a, const FinishRow<float>& finish) const {
  const bool by_lanes = accumulation_.order == Accumulation::Order::kLanes;
  HWY_DYNAMIC_DISPATCH(multiply_floats)
  (a, plan_, packed_.data(), columns_, [&](std::int64_t segment, std::int64_t row, float* sums) {
    if (by_lanes) add_lane(segment, row, sums, columns_, finish);
    else finish(row, sums);
  });
}

void PackedFloatProduct::run_blocks(View<const float> a, const JoinBlock<float>& join,
                                    const FinishRow<float>& finish) const {
  HWY_DYNAMIC_DISPATCH(multiply_floats)(a, plan_, packed_.data(), columns_, joining(plan_, columns_, join, finish));
}

PackedIntegerProduct::PackedIntegerProduct(View<const std::int8_t> b, Accumulation accumulation)
    : plan_(accumulation.order == Accumulation::Order::kInteger ? chain_plan(b.rows, kPairs)
                                                                : block_plan(b.rows, accumulation.length, kPairs)),
      columns_(b.cols),
      packed_(HWY_DYNAMIC_DISPATCH(pack_integers)(b, plan_)) {}

void PackedIntegerProduct::run(View<const std::int8_t> a, const FinishRow<std::int32_t>& finish) const {
  HWY_DYNAMIC_DISPATCH(multiply_integers)
  (a, plan_, packed_.data(), columns_, [&](std::int64_t, std::int64_t row, std::int32_t* sums) { finish(row, sums); });
}

void PackedIntegerProduct::run_blocks(View<const std::int8_t> a, const JoinBlock<std::int32_t>& join,
                                      const FinishRow<float>& finish) const {
  HWY_DYNAMIC_DISPATCH(multiply_integers)(a, plan_, packed_.data(), columns_, joining(plan_, columns_, join, finish));
}

}  // namespace narrowgate
#endif
