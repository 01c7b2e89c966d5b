// In which order a blocked product walks along k, and where it hands over its sums.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/accumulation.h"

namespace narrowgate {

inline constexpr std::int64_t kBlockRows = 24;  // rows of C that one task of a blocked product computes

// k is cut into segments, each summed on its own; a segment into words of `depth` slots; a slot is one k, or padding.
struct KPlan {
  static constexpr std::int64_t kPadding = -1;
  std::int64_t k = 0;
  std::vector<std::int64_t> segment_words;
  std::vector<std::int64_t> slots;  // k of each slot; empty where slot s is k = s, padded at the end

  std::int64_t words() const {
    std::int64_t sum = 0;
    for (const std::int64_t words : segment_words) sum += words;
    return sum;
  }
  std::int64_t k_of_slot(std::int64_t slot) const {
    if (slots.empty()) return slot < k ? slot : kPadding;
    return slots[static_cast<std::size_t>(slot)];
  }
};

// One segment.
KPlan chain_plan(std::int64_t k, std::int64_t depth);
// Segments of `length`, ascending.
KPlan block_plan(std::int64_t k, std::int64_t length, std::int64_t depth);
// 32 segments, one for each lane; segment s is the lane whose 5-bit number is s reversed, so that neighbours in the
// xor tree (16 first) are neighbours here and partial sums combine like the carries of a binary counter.
KPlan lane_plan(std::int64_t k, std::int64_t vector_length);

}  // namespace narrowgate
