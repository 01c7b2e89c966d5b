// One case and its cells: inputs, quantization, the scheme's answer, then each kernel against all of that.
#pragma once

#include <memory>
#include <optional>

#include "baselines/record.h"
#include "suites/engine/gates.h"
#include "suites/engine/plan.h"
#include "suites/engine/plants.h"

namespace narrowgate {

// The data that cases of every scheme share.
struct Inputs {
  Matrix<float> a;       // m×k
  Matrix<float> b;       // k×n
  Matrix<double> exact;  // A·B in double
};
Inputs make_inputs(Shape shape, Distribution distribution, std::uint64_t seed);

// Everything about a case that does not depend on the kernel.
struct PreparedCase {
  std::optional<std::string> refusal;  // why the scheme has no answer here; then nothing below is filled
  Operands operands;
  reference::Expectation expectation;
  GateResult quantization;
  Answer answer;
  double quantization_max_abs_err = 0;  // of the answer, against the original data
  Matrix<double> statistical;  // σ of the error for the rows of the answer
  std::optional<CodeCensus> census;
};
PreparedCase prepare_case(const Case& of, const Inputs& inputs);

struct CellOptions {
  bool timing = false;
  double budget_ms = 0;
  const Plant* plant = nullptr;
  std::string device_key;  // recorded beside a time
  Observation* observed = nullptr;  // keeps what was judged, for callers that judge it further; empty after a crash
};

// A failure of the kernel is a row too: state crashed, with what was thrown.
Row run_cell(const Cell& cell, const PreparedCase& prepared, const CellOptions& options);

// The error of the scheme's answer by column, over the rows that were replayed.
CaseProfile profile_case(const Case& of, const PreparedCase& prepared);

std::unique_ptr<Memory> make_memory(Backend backend, Layout layout);

}  // namespace narrowgate
