// The one generator: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11),
// used as a function of (seed, stream, index), so a value depends on neither threads nor order.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace narrowgate {

// Names an independent sequence. `tensor` separates A, B, bias, calibration…; `distribution` separates inputs
// of different kinds under one seed.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0;
  std::uint32_t distribution = 0;
};

// Block `index` of a stream: four independent 32-bit words.
inline std::array<std::uint32_t, 4> philox_block(const RandomStream& stream, std::uint64_t index) {
  const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(index),
                                               static_cast<std::uint32_t>(index >> 32), stream.tensor,
                                               stream.distribution}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)}};
  const auto words = r123::Philox4x32(/*rounds are the default, 10*/)(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

// Word of element `index`: word index mod 4 of block index/4.
inline std::uint32_t philox_word(const RandomStream& stream, std::uint64_t index) {
  return philox_block(stream, index / 4)[index % 4];
}

// Uniform on [0, 1): the top 24 bits, exact in FP32.
inline float uniform_from_word(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

}  // namespace narrowgate
