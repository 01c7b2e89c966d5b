#include "suites/selftest/selftest.h"

#include <fmt/format.h>

#include <algorithm>

#include "suites/engine/build_info.h"

namespace narrowgate::selftest {
namespace {

constexpr std::array<std::string_view, 4> kKindNames{"operands", "quantizer", "kernel", "output"};

GateNames names_of(const GateSet& gates) {
  GateNames names;
  for (std::size_t gate = 0; gate < kGateCount; ++gate) {
    if (gates[gate]) names.emplace_back(gate_columns()[gate].name);
  }
  return names;
}

SelftestFile::Gate gate_record(std::size_t gate, const FalseAlarms& alarms, const std::vector<SmallestErrors>& smallest) {
  const GateColumn& column = gate_columns()[gate];
  SelftestFile::Gate record{.name = std::string(column.name), .rule = std::string(column.rule), .is_ours = column.is_ours,
                            .decides = column.decides, .judged = alarms.cases, .false_alarms = alarms.failed[gate]};
  for (std::size_t kind = 0; kind < kErrorKindNames.size(); ++kind) {
    SelftestFile::Smallest of_kind{.kind = std::string(kErrorKindNames[kind]), .by_scheme = {}};
    for (const SmallestErrors& errors : smallest) of_kind.by_scheme[errors.scheme] = errors.caught[kind][gate];
    record.smallest.push_back(std::move(of_kind));
  }
  return record;
}

}  // namespace

KillMatrix kill_matrix(const std::vector<MutantOutcome>& outcomes) {
  KillMatrix matrix;
  for (const MutantOutcome& outcome : outcomes) {
    for (const SchemeOutcome& scheme : outcome.schemes) {
      matrix[std::string(outcome.mutant->name)][scheme.scheme] = names_of(scheme.killed_by);
    }
  }
  return matrix;
}

SelftestFile selftest_file(const std::vector<MutantOutcome>& outcomes, const FalseAlarms& alarms,
                           const std::vector<SmallestErrors>& smallest) {
  SelftestFile file;
  file.version = build_info::kVersion;
  file.git_commit = build_info::commit();
  file.kills = kill_matrix(outcomes);
  for (std::size_t gate = 0; gate < kGateCount; ++gate) file.gates.push_back(gate_record(gate, alarms, smallest));
  for (const MutantOutcome& outcome : outcomes) {
    file.mutants.push_back({std::string(outcome.mutant->name), std::string(kKindNames.at(static_cast<std::size_t>(outcome.mutant->kind))),
                            std::string(outcome.mutant->what)});
    for (const SchemeOutcome& scheme : outcome.schemes) {
      for (std::size_t gate = 0; gate < kGateCount; ++gate) {
        ++file.gates[gate].pairs;
        file.gates[gate].killed += scheme.killed_by[gate];
      }
    }
  }
  std::sort(file.mutants.begin(), file.mutants.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return file;
}

std::vector<std::string> defects(const std::vector<MutantOutcome>& outcomes, const FalseAlarms& alarms) {
  std::vector<std::string> found;
  for (const MutantOutcome& outcome : outcomes) {
    for (const SchemeOutcome& scheme : outcome.schemes) {
      if (scheme.counted == 0) {
        found.push_back(fmt::format("the mutant {} makes no difference on {}", outcome.mutant->name, scheme.scheme));
      } else if (!scheme.is_killed()) {
        found.push_back(fmt::format("no gate kills the mutant {} on {}", outcome.mutant->name, scheme.scheme));
      }
    }
  }
  for (const std::string& failure : alarms.failures) found.push_back("a correct kernel fails the gate " + failure);
  return found;
}

}  // namespace narrowgate::selftest
