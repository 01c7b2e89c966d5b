// The mutants are what they say they are: right loops are right, and every mutant matters and is killed.
#include "suites/selftest/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "suites/selftest/kernel_mutants.h"

namespace narrowgate::selftest {
namespace {

std::vector<const Mutant*> pointers(std::span<const Mutant> mutants) {
  std::vector<const Mutant*> all;
  for (const Mutant& mutant : mutants) all.push_back(&mutant);
  return all;
}

// A mutant must differ from the kernel it mutates by its bug alone.
TEST(Loops, WithoutABugGiveTheAnswerOfEveryScheme) {
  std::vector<const Kernel*> kernels = right_cpu_loops();
  for (const Kernel* kernel : right_tiled_kernels()) kernels.push_back(kernel);
  for (const Scheme* scheme : all_schemes()) {
    const Case of{scheme, kMutantShape, Distribution::kDay98, 1};
    const PreparedCase prepared = prepare_case(of, make_inputs(of.shape, of.distribution, of.seed));
    ASSERT_FALSE(prepared.refusal) << scheme->id;
    std::size_t tried = 0;
    for (const Kernel* kernel : kernels) {
      if (!kernel->computes(*scheme)) continue;
      if (kernel->source.ends_with("cpu_loops.h") && !prepared.operands.outlier_a.empty()) continue;  // left out of them
      const Judgement judgement = judge({.of = of, .kernel = kernel, .layout = {7, 3}}, prepared, nullptr);
      EXPECT_FALSE((judgement.failed & deciding_gates()).any()) << scheme->id << ' ' << kernel->name << ' ' << judgement.failed;
      ++tried;
    }
    EXPECT_GE(tried, 1u) << scheme->id;
  }
}

TEST(Mutants, HaveNamesOfTheirOwnAndSchemesThatExist) {
  std::set<std::string_view> names;
  for (const Mutant& mutant : all_mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_FALSE(mutant.what.empty() || mutant.what.ends_with('.')) << mutant.name;
    EXPECT_EQ(mutant.kind == MutantKind::kernel, !mutant.kernels.empty()) << mutant.name;
    for (const std::string_view scheme : mutant.schemes) EXPECT_NE(find_scheme(scheme), nullptr) << mutant.name << ' ' << scheme;
  }
  EXPECT_GE(names.size(), 46u);
}

TEST(Mutants, AllMakeADifferenceAndAreKilled) {
  for (const MutantOutcome& outcome : try_mutants(pointers(all_mutants()))) {
    for (const SchemeOutcome& scheme : outcome.schemes) {
      EXPECT_GE(scheme.counted, 1) << outcome.mutant->name << ' ' << scheme.scheme;
      EXPECT_TRUE(scheme.is_killed()) << outcome.mutant->name << ' ' << scheme.scheme;
    }
  }
}

}  // namespace
}  // namespace narrowgate::selftest
