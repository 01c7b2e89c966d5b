// Random small cases of a scheme against its own worst-case bound: the scheme's answer must never exceed it.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"

namespace narrowgate::fuzz {

struct BoundsResult {
  std::int64_t cases = 0;     // judged
  std::int64_t refused = 0;   // beyond a format's range: not judged
  std::int64_t exceeded = 0;
  double largest_fraction = 0.0;  // of the bound, over all elements of all cases
  std::uint64_t worst_seed = 0;   // the case it was found in
};

// Cases first_seed, first_seed + 1, …, until `cases` were judged. Shapes up to 4×5×200; each operand is drawn from one
// of several kinds: uniform, near ties of small integers, neighbours of powers of two, subnormal, heavy-tailed, sparse,
// constant; with a common factor of 2^−140 … 2^20.
BoundsResult fuzz_bounds(const Scheme& scheme, std::int64_t cases, std::uint64_t first_seed);

}  // namespace narrowgate::fuzz
