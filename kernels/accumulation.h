// How a scheme sums the k products of one element of C. Part of the answer: another order gives other bits.
#pragma once

#include <cstdint>

namespace narrowgate {

struct Accumulation {
  enum class Order {
    kInteger,        // int32, exact, so in any order
    kChain,          // acc = fma(a, b, acc) in FP32 over ascending k, from +0
    kLanes,          // 32 such chains, lane(k) = ⌊k/length⌋ mod 32, then the xor tree 16, 8, 4, 2, 1
    kBlocks,         // t = chain within each `length` of k; acc = fma(t, fl(sa·sb), acc) over ascending blocks
    kIntegerBlocks,  // the same with an int32 t, converted to FP32
  };
  Order order = Order::kChain;
  std::int64_t length = 0;

  static constexpr Accumulation integer() { return {Order::kInteger, 0}; }
  static constexpr Accumulation chain() { return {Order::kChain, 0}; }
  static constexpr Accumulation lanes(std::int64_t vector_length) { return {Order::kLanes, vector_length}; }
  static constexpr Accumulation blocks(std::int64_t length) { return {Order::kBlocks, length}; }
  static constexpr Accumulation integer_blocks(std::int64_t length) { return {Order::kIntegerBlocks, length}; }
  friend bool operator==(const Accumulation&, const Accumulation&) = default;
};

inline constexpr std::int64_t kLaneCount = 32;  // a warp

// Elements of k that one lane takes at a time: a 16-byte load of stored codes.
constexpr std::int64_t lane_vector(int stored_code_bits) { return 128 / stored_code_bits; }

enum class OutputFormat { kFp32, kFp16 };

}  // namespace narrowgate
