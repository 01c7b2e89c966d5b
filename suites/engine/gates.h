// The gates on one cell. Each answers pass or fail with the first offending element and a sentence; none decides alone
// what the run is worth (that is compare's work).
//
//   guards  finite where the reference is, every element written, nothing written elsewhere, the same bits twice, not
//           all zero where the reference is not
//   Q       codes, scales and zero points equal the replay's bit for bit; reconstruction within δ of the original
//   I       an exact kernel against the scheme's answer: 0 bits apart; a bounded one against the product of the
//           dequantized operands in double, per element, within the bound of its own sum
//   E       the kernel against the original data, per element, within the a-priori bound; for a bounded kernel with the
//           rounding of its own sum in it
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
// Of an exact kernel.
ImplementationError judge_implementation(const Matrix<float>& output, const Answer& answer);

// Gate I of a bounded kernel. `rounding` is empty where its precision says nothing of the scheme's sum.
struct RoundingError {
  std::optional<double> bound_fraction;  // largest |Ĉ − Â·B̂| / R; empty where it was not measured
  GateResult gate;
};
RoundingError judge_rounding(const Matrix<float>& output,
                             const std::optional<reference::RoundingExpectation>& rounding);

GateResult judge_error(const Metrics& metrics);
// Gate E of a bounded kernel: `metrics` were measured with the bound of its own sum, which `rounding` holds.
GateResult judge_bounded_error(const Metrics& metrics, const std::optional<reference::RoundingExpectation>& rounding);
GateResult judge_day98(const Metrics& metrics, Day98Gate applies);

}  // namespace narrowgate
