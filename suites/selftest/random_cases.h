// Correct kernels on random cases: how often each gate fails what is right.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "suites/selftest/judge.h"

namespace narrowgate::selftest {

struct FalseAlarms {
  std::int64_t cases = 0;    // judged
  std::int64_t refused = 0;  // drawn, and without an answer: FP16 range, accumulator limits
  std::array<std::int64_t, kGateCount> failed{};
  std::vector<std::string> failures;  // of gates that decide: "E: int8.column/cpu.simd/…"
};

// Draws until `cases` were judged: every scheme in turn; shape, distribution, seed, layout and kernel at random. Drift
// compares the kernel with the line that the scheme's oracle would store. Depends on `first_seed` alone.
FalseAlarms count_false_alarms(std::int64_t cases, std::uint64_t first_seed);

}  // namespace narrowgate::selftest
