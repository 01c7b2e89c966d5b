// Weights of the `lanes` order packed for warps.
//
//   piece    sixteen bytes: `v` = 128 / bits neighbours along k of one output channel, the lowest k in the lowest bits
//   chunk    32 pieces, one a lane: 32·v of k
//   layout   [channels / 4][chunks][4 channels][32 lanes] pieces; scales and zero points [channels / 4][k groups][4]
//
// Integer codes are stored from 0 up. Beyond the matrix all bits are zero: activations are zero there, channels unused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/accumulation.h"
#include "kernels/memory/memory.h"
#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::decoded {

inline constexpr int kPackedChannels = 4;

struct alignas(16) SixteenBytes {
  std::uint32_t words[4];
};

struct PackedWeights {
  const SixteenBytes* pieces;
  const std::uint16_t* scales;       // FP16; nullptr where the epilogue has them
  const std::uint16_t* zero_points;  // FP16, of the stored codes; nullptr where all are `common_zero_point`
  float common_zero_point;
  int chunks;
  int log2_group, groups;  // k of one scale, a power of two, and how many in all chunks
};

// B[k×n] of a scheme whose order is `accumulation`, lanes(v).
PackedWeights place_packed_weights(const QuantizedMatrix& b, Accumulation accumulation, Memory& memory);

// Shared memory for one row of A as lanes read it: `unit_values` of them in 16 bytes.
constexpr std::size_t activation_bytes(std::int64_t chunks, std::int64_t vector, std::int64_t unit_values) {
  return static_cast<std::size_t>(chunks * kLaneCount * (vector / unit_values)) * sizeof(SixteenBytes);
}

}  // namespace narrowgate::decoded
