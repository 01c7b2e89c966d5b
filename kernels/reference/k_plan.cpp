#include "kernels/reference/k_plan.h"

#include <algorithm>

namespace narrowgate {

KPlan chain_plan(std::int64_t k, std::int64_t depth) { return {.k = k, .segment_words = {(k + depth - 1) / depth}}; }

KPlan block_plan(std::int64_t k, std::int64_t length, std::int64_t depth) {
  KPlan plan{.k = k};
  for (std::int64_t first = 0; first < k; first += length) {
    const std::int64_t count = std::min(length, k - first);
    plan.segment_words.push_back((count + depth - 1) / depth);
    for (std::int64_t i = 0; i < plan.segment_words.back() * depth; ++i) {
      plan.slots.push_back(i < count ? first + i : KPlan::kPadding);
    }
  }
  return plan;
}

KPlan lane_plan(std::int64_t k, std::int64_t vector_length) {
  KPlan plan{.k = k};
  for (std::int64_t segment = 0; segment < kLaneCount; ++segment) {
    std::int64_t lane = 0;
    for (int bit = 0; bit < 5; ++bit) lane |= (segment >> bit & 1) << (4 - bit);
    const std::size_t before = plan.slots.size();
    for (std::int64_t first = lane * vector_length; first < k; first += kLaneCount * vector_length) {
      for (std::int64_t i = first; i < std::min(first + vector_length, k); ++i) plan.slots.push_back(i);
    }
    plan.segment_words.push_back(static_cast<std::int64_t>(plan.slots.size() - before));
  }
  return plan;
}

}  // namespace narrowgate
