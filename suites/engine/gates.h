// The gates on one cell. Each answers pass or fail with the first offending element and a sentence; none decides alone
// what the run is worth (that is compare's work).
//
//   guards  finite where the reference is, every element written, nothing written elsewhere, the same bits twice, not
//           all zero where the reference is not
//   Q       codes, scales and zero points equal the replay's bit for bit; reconstruction within δ of the original
//   I       the kernel against the scheme's answer: 0 bits apart for an exact kernel
//   E       the kernel against the original data, per element, within the a-priori bound
//   day98   4·K·max|A|·max|B[:,c]|/127 per column, as its authors use it
#pragma once

#include <string>
#include <vector>

#include "baselines/record.h"
#include "suites/engine/metrics.h"

namespace narrowgate {

// What one run of a kernel left behind, for the guards.
struct Observation {
  Matrix<float> output;
  Matrix<float> second_output;      // of the second run, which must have the same bits
  std::vector<std::string> damage;  // Memory::damage()
};

// The scheme's answer on the rows that were replayed.
struct Answer {
  std::vector<std::int64_t> rows;
  Matrix<float> values;  // one row for each of `rows`
};

// All zeros are a failure only where the scheme's own answer is not: FP16 activations may all underflow.
GateResult judge_guards(const Observation& observation, const Metrics& metrics, const Matrix<double>& target,
                        const Answer& answer);

// The original data, its quantization, and the replay of that.
GateResult judge_quantization(View<const float> a, View<const float> b, const Operands& operands,
                              const Operands& replayed);

struct ImplementationError {
  std::int64_t mismatches = 0;  // elements whose bits differ
  double max_abs_err = 0;
  GateResult gate;
};
ImplementationError judge_implementation(const Matrix<float>& output, const Answer& answer, Contract contract);

GateResult judge_error(const Metrics& metrics);
GateResult judge_day98(const Metrics& metrics, Day98Gate applies);

}  // namespace narrowgate
