#include "suites/selftest/judge.h"

#include <array>

#include "baselines/error_state.h"

namespace narrowgate::selftest {
namespace {

constexpr std::array<GateColumn, kOwnGateCount> kOwnGates = {{
    {"guards", "finite, written everywhere and nowhere else, the same bits twice, not all zero", true, true},
    {"Q", "codes, scales and zero points are the replay's, and decode to within their bound of the data", true, true},
    {"I", "every bit is that of the scheme's answer", true, true},
    {"E", "every element lies within its a-priori bound of the product of the original data", true, true},
    {"day98", "|error| <= 4 K max|A| max|B[:,c]| / 127 in every column", true, true},
    {"drift", "digest and metrics are those stored for the case", true, true},
    {"6sigma", "every error is at most 6 of its standard deviations; a diagnostic", true, false},
}};

// What comparing with the stored line says when nothing else of the row is looked at.
bool drifted(const Row& row, const AccuracyLine& line) {
  Row alone = row;
  alone.gates = {{.gate = GateResult::Gate::guards, .state = GateResult::State::pass}};
  alone.nonfinite = 0;
  alone.implementation_mismatches = 0;
  return judge_error(alone, &line, "").state == ErrorState::changed;
}

void ask_own_gates(Judgement& judgement, const AccuracyLine* line) {
  const Row& row = judgement.row;
  for (const GateResult& gate : row.gates) {
    if (gate.decides && gate.state == GateResult::State::fail) judgement.failed.set(static_cast<std::size_t>(gate.gate));
  }
  // The stored line is the answer of exact kernels; a bounded one has a fraction stored for its device instead.
  const bool is_exact = row.contract == Row::Contract::exact;
  if (is_exact && line != nullptr && drifted(row, *line)) judgement.failed.set(kDriftGate);
  const bool beyond_sigma = row.sigma_fraction && !(*row.sigma_fraction <= kSigmaLimit);
  if (beyond_sigma || row.nonfinite.value_or(0) != 0) judgement.failed.set(kSigmaGate);
}

void ask_conventional_gates(Judgement& judgement, const PreparedCase& prepared) {
  const reference::Expectation& expectation = prepared.expectation;
  // Of a pruned scheme people compare with the product of the pruned weights.
  const Matrix<double>& reference = expectation.target.empty() ? expectation.exact : expectation.target;
  const Comparison comparison = compare_outputs(judgement.observation.output, reference);
  for (std::size_t i = 0; i < kConventionalGateCount; ++i) {
    if (!conventional_gates()[i].passes(comparison)) judgement.failed.set(kOwnGateCount + i);
  }
}

}  // namespace

std::span<const GateColumn> gate_columns() {
  static const auto kColumns = [] {
    std::array<GateColumn, kGateCount> columns{};
    std::copy(kOwnGates.begin(), kOwnGates.end(), columns.begin());
    for (std::size_t i = 0; i < kConventionalGateCount; ++i) {
      columns[kOwnGateCount + i] = {conventional_gates()[i].name, conventional_gates()[i].rule, false, false};
    }
    return columns;
  }();
  return kColumns;
}

GateSet deciding_gates() {
  GateSet deciding;
  for (std::size_t i = 0; i < kGateCount; ++i) deciding.set(i, gate_columns()[i].decides);
  return deciding;
}

Judgement judge(const Cell& cell, const PreparedCase& prepared, const AccuracyLine* line, const Plant* plant) {
  Judgement judgement;
  CellOptions options;
  options.plant = plant;
  options.observed = &judgement.observation;
  judgement.row = run_cell(cell, prepared, options);
  if (judgement.row.state == Row::State::crashed) {
    judgement.failed.set(static_cast<std::size_t>(GateResult::Gate::guards));
  } else if (judgement.row.state == Row::State::measured) {
    ask_own_gates(judgement, line);
    ask_conventional_gates(judgement, prepared);
  }
  return judgement;
}

}  // namespace narrowgate::selftest
