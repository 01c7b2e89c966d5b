#include "suites/selftest/conventional_gates.h"

#include <cmath>

namespace narrowgate::selftest {
namespace {

// NaN passes nothing: each rule says what must hold, never what must not.
bool allclose(const Comparison& c) { return c.is_finite && c.beyond_allclose == 0; }
bool or_form(const Comparison& c) { return c.is_finite && c.beyond_or_form == 0; }
bool nmse(const Comparison& c) { return c.is_finite && c.error_squares <= kNmseLimit * c.reference_squares; }
bool cosine(const Comparison& c) {
  // Of one that is all zeros there is no angle.
  if (c.output_squares == 0.0 || c.reference_squares == 0.0) return c.is_finite && c.error_squares == 0.0;
  return c.is_finite && c.products >= kCosineLimit * std::sqrt(c.output_squares * c.reference_squares);
}
bool mean_ratio(const Comparison& c, double limit) {
  return c.is_finite && (c.error_sum == 0.0 || c.error_sum < limit * c.reference_sum);
}
bool loose_mean_ratio(const Comparison& c) { return mean_ratio(c, kLooseMeanRatio); }
bool tight_mean_ratio(const Comparison& c) { return mean_ratio(c, kTightMeanRatio); }
bool calc_diff(const Comparison& c) {
  const double denominator = c.output_squares + c.reference_squares;
  return c.is_finite && (denominator == 0.0 || 1.0 - 2.0 * c.products / denominator < kCalcDiffLimit);
}
bool sqnr(const Comparison& c) { return c.is_finite && c.reference_squares >= kSqnrRatio * c.error_squares; }

}  // namespace

Comparison compare_outputs(const Matrix<float>& output, const Matrix<double>& reference) {
  Comparison c;
  for (std::int64_t i = 0; i < output.size(); ++i) {
    const double x = output.data()[i], y = reference.data()[i];
    const double error = std::fabs(x - y), magnitude = std::fabs(y);
    c.is_finite = c.is_finite && std::isfinite(x);
    c.beyond_allclose += !(error <= kAbsoluteTolerance + kRelativeTolerance * magnitude);
    c.beyond_or_form += !(error <= kAbsoluteTolerance || error <= kRelativeTolerance * magnitude);
    c.error_squares += error * error;
    c.reference_squares += y * y;
    c.output_squares += x * x;
    c.products += x * y;
    c.error_sum += error;
    c.reference_sum += magnitude;
  }
  return c;
}

const std::array<ConventionalGate, kConventionalGateCount>& conventional_gates() {
  static constexpr std::array<ConventionalGate, kConventionalGateCount> kGates = {{
      {"allclose", "|x - y| <= 0.01 + 0.01 |y| for every element", allclose},
      {"or_form", "|x - y| <= 0.01 or |x - y| <= 0.01 |y| for every element", or_form},
      {"nmse", "sum (x - y)^2 <= 5e-4 sum y^2", nmse},
      {"cosine", "cosine of x and y at least 0.99", cosine},
      {"mean_0.04", "sum |x - y| < 0.04 sum |y|", loose_mean_ratio},
      {"mean_0.001", "sum |x - y| < 0.001 sum |y|", tight_mean_ratio},
      {"calc_diff", "1 - 2 sum xy / sum (x^2 + y^2) < 1e-3", calc_diff},
      {"sqnr", "at least 25 dB: sum y^2 >= 316.2 sum (x - y)^2", sqnr},
  }};
  return kGates;
}

}  // namespace narrowgate::selftest
