// The two sources of kernel mutants, and the loops they are made of without a bug, to be held against the schemes.
#pragma once

#include <vector>

#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {

std::vector<Mutant> cpu_mutants();
std::vector<Mutant> tiled_mutants();

std::vector<const Kernel*> right_cpu_loops();
std::vector<const Kernel*> right_tiled_kernels();

}  // namespace narrowgate::selftest
