// The whole self-test: mutants on trial, correct kernels on random cases, the smallest errors; and what follows from it.
#pragma once

#include <string>
#include <vector>

#include "baselines/selftest_file.h"
#include "suites/selftest/random_cases.h"
#include "suites/selftest/smallest_errors.h"
#include "suites/selftest/trial.h"

namespace narrowgate::selftest {

KillMatrix kill_matrix(const std::vector<MutantOutcome>& outcomes);

SelftestFile selftest_file(const std::vector<MutantOutcome>& outcomes, const FalseAlarms& alarms,
                           const std::vector<SmallestErrors>& smallest);

// What is wrong whatever was stored, in sentences: a mutant that none of our gates kills, or that makes no difference
// on a scheme; a gate that decides and fails a correct kernel.
std::vector<std::string> defects(const std::vector<MutantOutcome>& outcomes, const FalseAlarms& alarms);

// Of mutants and gates, and of the scores of each gate.
std::string terminal_table(const SelftestFile& file);
std::string markdown_page(const SelftestFile& file);

}  // namespace narrowgate::selftest
