// The gates on an output that came from elsewhere, a slice of rows at a time, so that memory stays a small multiple of
// the tensors. Every row is judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suites/check/request.h"
#include "suites/check/tensors.h"
#include "suites/engine/gates.h"

namespace narrowgate::check {

// What was found, element by element.
struct Tally {
  std::int64_t elements = 0, nonfinite = 0, zeros = 0;
  std::int64_t mismatches = 0;  // elements that differ from the scheme's answer, rounded to C's format
  double max_ulps = 0;          // of C's format, largest distance from that
  double implementation_max_err = 0;
  double quantization_max_err = 0, quantization_squares = 0;  // the scheme's answer against the original data
  double max_err = 0;                                                // C against the original data
  double bound_fraction = 0, day98_fraction = 0;
  bool answer_is_zero = true;  // all of it
  // Whether the bound says anything: it is finite, and some element lies farther from zero than it reaches.
  bool bound_is_finite = true, excludes_zeros = false;
  double reach = 0;  // largest |target| + bound
  Element worst;     // by fraction of the bound
  std::optional<Element> first_nonfinite, first_beyond_bound, first_mismatch, first_beyond_day98;
  std::vector<double> row_fraction, column_fraction;        // of the bound, largest
  std::vector<std::int64_t> row_zeros, column_zeros;        // of C
  std::vector<std::int64_t> row_nonzeros, column_nonzeros;  // of the answer
};

// The scheme's operands: its own, from which the bound follows, and those that were given, from which its answer does.
struct Subject {
  const Scheme& scheme;
  const Tensors& tensors;
  Operands own;
  std::optional<Operands> given;
};

// The bound of C's own format: half of its ulp at |C| where it is narrower than what the scheme stores; else 0.
double output_rounding(io::ElementType c_type, OutputFormat scheme_output, double magnitude);

// x in C's format, to nearest even.
void round_to(io::ElementType type, std::span<float> x);

// The scheme's answer on some rows, by its fast kernel; of `operands`, whose B is not copied.
Matrix<float> answer_of(const Scheme& scheme, Operands& operands, const std::vector<std::int64_t>& rows);
// Rows of A with all of B, while `operands` gives up its B; put back by restore().
Operands borrow_rows(Operands& operands, const std::vector<std::int64_t>& rows);
void restore(Operands& operands, Operands&& borrowed);

Matrix<float> select_rows(View<const float> x, const std::vector<std::int64_t>& rows);

Tally tally(Subject& subject);

// Rows or columns of zeros where no element of the answer is one.
std::vector<std::int64_t> dead(const std::vector<std::int64_t>& zeros, const std::vector<std::int64_t>& answer_nonzeros,
                               std::int64_t length);

// Guards, I, E and day98; Q is judged where codes were given, by judge_quantization().
std::vector<GateResult> judge(const Subject& subject, const Tally& found, Decision decision);

}  // namespace narrowgate::check
