// Which lanes of a block's warps wait in which collective: the bookkeeping behind __syncwarp, shuffles and votes.
#pragma once

#include <cstdint>
#include <vector>

namespace narrowgate::simt {

inline constexpr unsigned kWarpSize = 32;

// Something that the lanes of a warp do together; known by its address.
struct Collective {
  const char* name;  // CUDA's word, for findings
  // Runs once, in the last lane to arrive: lanes[i] is what lane i brought, nullptr where it takes no part.
  void (*finish)(void* const (&lanes)[kWarpSize]);
};

// Lanes that wait in one collective with one mask.
struct Gathering {
  const Collective* collective;
  std::uint32_t mask;     // as the lanes gave it
  std::uint32_t missing;  // lanes of the mask that exist and have not arrived
  std::uint32_t arrived;
  void* brought[kWarpSize];
};

class WarpTable {
 public:
  void begin_block(unsigned threads);
  std::uint32_t lanes(unsigned warp) const;  // those that exist: the last warp may be short
  // The lane joins those that gave the same collective and mask. Nothing is missing in what is returned when it was
  // the last one; then finish() ends the gathering.
  Gathering& arrive(unsigned warp, unsigned lane, const Collective& collective, std::uint32_t mask, void* brought);
  void finish(unsigned warp, Gathering& gathering);
  const std::vector<Gathering>& waiting(unsigned warp) const { return warps_[warp]; }
  unsigned size() const { return (threads_ + kWarpSize - 1) / kWarpSize; }

 private:
  unsigned threads_ = 0;
  std::vector<std::vector<Gathering>> warps_;
};

}  // namespace narrowgate::simt
