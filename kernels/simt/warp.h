// The host's side of CUDA's warp-level words: each lane brings its value, the last one to arrive hands out the results.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kernels/simt/executor.h"

namespace narrowgate::simt {

// What a lane brings to a shuffle or a vote, and what it takes away.
struct LaneWord {
  std::uint32_t value;
  unsigned source;  // of a shuffle
  std::uint32_t result = 0;
};
inline LaneWord& lane_word(void* brought) { return *static_cast<LaneWord*>(brought); }

inline void finish_nothing(void* const (&)[kWarpSize]) {}

inline void finish_shuffle(void* const (&lanes)[kWarpSize]) {
  for (void* lane : lanes) {
    if (lane != nullptr) lane_word(lane).result = lane_word(lanes[lane_word(lane).source]).value;
  }
}

// Every lane gets the bits of all lanes: bit i is whether lane i brought something other than 0.
inline void finish_ballot(void* const (&lanes)[kWarpSize]) {
  std::uint32_t ballot = 0;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (lanes[i] != nullptr && lane_word(lanes[i]).value != 0) ballot |= 1u << i;
  }
  for (void* lane : lanes) {
    if (lane != nullptr) lane_word(lane).result = ballot;
  }
}

inline constexpr Collective kSyncWarp{"__syncwarp", finish_nothing};
inline constexpr Collective kShuffle{"__shfl_sync", finish_shuffle};
inline constexpr Collective kShuffleXor{"__shfl_xor_sync", finish_shuffle};
inline constexpr Collective kShuffleDown{"__shfl_down_sync", finish_shuffle};
inline constexpr Collective kShuffleUp{"__shfl_up_sync", finish_shuffle};
inline constexpr Collective kBallot{"__ballot_sync", finish_ballot};
inline constexpr Collective kAny{"__any_sync", finish_ballot};
inline constexpr Collective kAll{"__all_sync", finish_ballot};

// The value of lane `source`; a lane that names none of the warp keeps its own.
template <class T>
T shuffle(const Collective& collective, std::uint32_t mask, T value, unsigned source) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  LaneWord word{std::bit_cast<std::uint32_t>(value), source < kWarpSize ? source : current_lane()};
  check_source_lane(collective, mask, word.source);
  join_warp(collective, mask, &word);
  return std::bit_cast<T>(word.result);
}

inline std::uint32_t vote(const Collective& collective, std::uint32_t mask, bool predicate) {
  LaneWord word{predicate ? 1u : 0u, 0};
  join_warp(collective, mask, &word);
  return word.result;
}

}  // namespace narrowgate::simt

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  namespace simt = ::narrowgate::simt;
  simt::LaneWord nothing{0, 0};
  simt::join_warp(simt::kSyncWarp, mask, &nothing);
}

// Only whole warps: CUDA's fourth argument, the width, is always 32.
#define NARROWGATE_SHUFFLES(T)                                                                                  \
  inline T __shfl_sync(unsigned mask, T value, int lane) {                                                      \
    return ::narrowgate::simt::shuffle(::narrowgate::simt::kShuffle, mask, value, static_cast<unsigned>(lane) % 32); \
  }                                                                                                             \
  inline T __shfl_xor_sync(unsigned mask, T value, int bits) {                                                  \
    return ::narrowgate::simt::shuffle(::narrowgate::simt::kShuffleXor, mask, value,                            \
                                       ::narrowgate::simt::current_lane() ^ static_cast<unsigned>(bits));       \
  }                                                                                                             \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta) {                                           \
    return ::narrowgate::simt::shuffle(::narrowgate::simt::kShuffleDown, mask, value,                           \
                                       ::narrowgate::simt::current_lane() + delta);                             \
  }                                                                                                             \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta) {                                             \
    return ::narrowgate::simt::shuffle(::narrowgate::simt::kShuffleUp, mask, value,                             \
                                       ::narrowgate::simt::current_lane() - delta);                             \
  }
NARROWGATE_SHUFFLES(int)
NARROWGATE_SHUFFLES(unsigned)
NARROWGATE_SHUFFLES(float)
#undef NARROWGATE_SHUFFLES

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return ::narrowgate::simt::vote(::narrowgate::simt::kBallot, mask, predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) {
  return ::narrowgate::simt::vote(::narrowgate::simt::kAny, mask, predicate != 0) != 0 ? 1 : 0;
}
// All lanes that exist, of a last warp that is not whole.
inline int __all_sync(unsigned mask, int predicate) {
  return ::narrowgate::simt::vote(::narrowgate::simt::kAll, mask, predicate == 0) == 0 ? 1 : 0;
}
