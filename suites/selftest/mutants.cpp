#include "suites/selftest/kernel_mutants.h"

namespace narrowgate::selftest {

std::vector<Mutant> kernel_mutants() {
  std::vector<Mutant> mutants = cpu_mutants();
  for (Mutant& mutant : tiled_mutants()) mutants.push_back(std::move(mutant));
  return mutants;
}

std::span<const Mutant> all_mutants() {
  static const std::vector<Mutant> kMutants = [] {
    std::vector<Mutant> mutants = operand_mutants();
    for (auto* list : {quantizer_mutants, kernel_mutants, output_mutants}) {
      for (Mutant& mutant : list()) mutants.push_back(std::move(mutant));
    }
    return mutants;
  }();
  return kMutants;
}

}  // namespace narrowgate::selftest
