// All gates on one run, ours by the engine's own judges and those that people use: the columns of the mutant matrix.
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>

#include "baselines/store.h"
#include "suites/engine/case_run.h"
#include "suites/selftest/conventional_gates.h"

namespace narrowgate::selftest {

// Of ours: the five of a row, drift (the stored line of the case), and 6σ, which decides nothing.
inline constexpr std::size_t kOwnGateCount = 7;
inline constexpr std::size_t kGateCount = kOwnGateCount + kConventionalGateCount;
inline constexpr std::size_t kDriftGate = 5, kSigmaGate = 6;
inline constexpr double kSigmaLimit = 6.0;
using GateSet = std::bitset<kGateCount>;

struct GateColumn {
  std::string_view name;
  std::string_view rule;
  bool is_ours;
  bool decides;  // it can fail a run
};
std::span<const GateColumn> gate_columns();
// Ours that decide.
GateSet deciding_gates();

struct Judgement {
  Row row;
  Observation observation;  // empty after a crash
  GateSet failed;
};

// Runs the cell and asks every gate. `line` is the stored answer of the case that drift compares with; null: no drift.
Judgement judge(const Cell& cell, const PreparedCase& prepared, const AccuracyLine* line, const Plant* plant = nullptr);

}  // namespace narrowgate::selftest
