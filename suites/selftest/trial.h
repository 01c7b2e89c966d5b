// Mutants on trial: each scheme and distribution of each, beside the correct kernel on the same case.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "suites/selftest/judge.h"
#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {

// One mutant on one scheme.
struct SchemeOutcome {
  std::string scheme;
  std::int64_t cases = 0;
  std::int64_t counted = 0;  // where the mutant makes a difference: bits of the output, codes, writes, or a crash
  GateSet killed_by;         // gates that fail it on a counted case, and not the correct kernel there
  bool is_killed() const { return (killed_by & deciding_gates()).any(); }
};

struct MutantOutcome {
  const Mutant* mutant = nullptr;
  std::vector<SchemeOutcome> schemes;
};

// Throws std::logic_error where a mutant names a scheme that does not exist, or that none of its kernels computes.
std::vector<MutantOutcome> try_mutants(const std::vector<const Mutant*>& mutants,
                                       const std::function<void(std::size_t done)>& progress = nullptr);

// The fastest host kernel of the scheme on this backend, or its oracle where the backend has none.
const Kernel& correct_kernel(const Scheme& scheme, Backend backend);

}  // namespace narrowgate::selftest
