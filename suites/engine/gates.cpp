#include "suites/engine/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/reference/quantize_oracle.h"
#include "suites/engine/digest.h"

namespace narrowgate {
namespace {

using Gate = GateResult::Gate;
using State = GateResult::State;

GateResult passed(Gate gate) { return {.gate = gate, .state = State::pass}; }

GateResult failed(Gate gate, std::string detail) {
  return {.gate = gate, .state = State::fail, .detail = std::move(detail)};
}

GateResult failed_at(Gate gate, std::string detail, const Element& element) {
  GateResult result = failed(gate, std::move(detail));
  result.row = element.row;
  result.column = element.column;
  result.value = element.value;
  result.reference = element.reference;
  result.bound = element.bound;
  return result;
}

GateResult not_measured(Gate gate, std::string detail) {
  return {.gate = gate, .state = State::not_measured, .detail = std::move(detail)};
}

// Why there is no bound to hold a bounded kernel to; nothing where there is one.
std::optional<std::string> why_unbounded(const std::optional<reference::RoundingExpectation>& rounding) {
  if (!rounding) return "the kernel is bounded, and states no precision for this scheme's sum";
  if (rounding->is_vacuous) return "vacuous: at this depth the bound of the kernel's sum allows any output, zeros too";
  return std::nullopt;
}

// The first element for which `is_wrong` holds.
template <class IsWrong>
std::optional<Element> first_element(const Matrix<float>& output, const Matrix<double>& target, const IsWrong& is_wrong) {
  for (std::int64_t row = 0; row < output.rows(); ++row) {
    for (std::int64_t col = 0; col < output.cols(); ++col) {
      if (is_wrong(row, col)) return Element{row, col, output(row, col), target(row, col), 0.0};
    }
  }
  return std::nullopt;
}

bool any_nonzero(const Matrix<float>& values) {
  return std::any_of(values.flat().begin(), values.flat().end(), [](float value) { return std::fabs(value) > 0.0f; });
}

// Where two matrices first differ in bits; empty when they do not.
std::string first_difference(const Matrix<float>& actual, const Matrix<float>& expected) {
  if (actual.size() != expected.size()) return fmt::format("{} elements instead of {}", actual.size(), expected.size());
  for (std::int64_t row = 0; row < expected.rows(); ++row) {
    for (std::int64_t col = 0; col < expected.cols(); ++col) {
      if (std::bit_cast<std::uint32_t>(actual(row, col)) == std::bit_cast<std::uint32_t>(expected(row, col))) continue;
      return fmt::format("the element at row {}, column {} is {:a} instead of {:a}", row, col, actual(row, col), expected(row, col));
    }
  }
  return {};
}

// Where a dequantized element leaves its bound; empty when none does.
std::string reconstruction_problem(View<const float> original, const QuantizedMatrix& quantized) {
  const Matrix<double> bound = reference::operand_error_bound(original, quantized);
  for (std::int64_t row = 0; row < original.rows; ++row) {
    for (std::int64_t col = 0; col < original.cols; ++col) {
      const double error = std::fabs(quantized.dequantized(row, col) - double{original(row, col)});
      if (error <= bound(row, col)) continue;
      return fmt::format("the element at row {}, column {} is {:.9g} and decodes to {:.9g}, more than {:.3g} away", row,
                         col, original(row, col), quantized.dequantized(row, col), bound(row, col));
    }
  }
  return {};
}

}  // namespace

GateResult judge_guards(const Observation& observation, const Metrics& metrics, const Matrix<double>& target,
                        const Answer& answer) {
  const Matrix<float>& output = observation.output;
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  if (!observation.damage.empty()) return failed(Gate::guards, "the kernel " + observation.damage.front());
  const auto unwritten = first_element(output, target, [&](std::int64_t row, std::int64_t col) {
    return bits(output(row, col)) == Memory::kPoison;
  });
  if (unwritten) return failed_at(Gate::guards, "an element was never written", *unwritten);
  if (metrics.first_nonfinite) {
    return failed_at(Gate::guards, fmt::format("{} of {} elements are not finite where the reference is",
                                               metrics.nonfinite, output.size()), *metrics.first_nonfinite);
  }
  const auto unstable = first_element(output, target, [&](std::int64_t row, std::int64_t col) {
    return bits(output(row, col)) != bits(observation.second_output(row, col));
  });
  if (unstable) {
    GateResult result = failed_at(Gate::guards, "two runs gave different bits (the reference below is the second run's)", *unstable);
    result.reference = observation.second_output(unstable->row, unstable->column);
    return result;
  }
  if (metrics.zeros == output.size() && any_nonzero(answer.values)) {
    return failed(Gate::guards, "the output is all zeros and the scheme's answer is not");
  }
  return passed(Gate::guards);
}

GateResult judge_quantization(View<const float> a, View<const float> b, const Operands& operands,
                              const Operands& replayed) {
  const View<const float> encoded_a = operands.encoded_a.empty() ? a : operands.encoded_a.view();
  const View<const float> encoded_b = operands.encoded_b.empty() ? b : operands.encoded_b.view();
  for (const auto& [name, problem] :
       {std::pair{"A", reference::first_difference(operands.a, replayed.a)},
        std::pair{"B", reference::first_difference(operands.b, replayed.b)},
        std::pair{"A as prepared", first_difference(operands.encoded_a, replayed.encoded_a)},
        std::pair{"B as prepared", first_difference(operands.encoded_b, replayed.encoded_b)},
        std::pair{"A", reconstruction_problem(encoded_a, operands.a)},
        std::pair{"B", reconstruction_problem(encoded_b, operands.b)}}) {
    if (!problem.empty()) return failed(Gate::quantization, fmt::format("{}: {}", name, problem));
  }
  return passed(Gate::quantization);
}

ImplementationError judge_implementation(const Matrix<float>& output, const Answer& answer) {
  ImplementationError result;
  std::optional<Element> first;
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    const std::int64_t row = answer.rows[i];
    for (std::int64_t col = 0; col < output.cols(); ++col) {
      const float value = output(row, col);
      const float expected = answer.values(static_cast<std::int64_t>(i), col);
      if (canonical_bits(value) == canonical_bits(expected)) continue;
      ++result.mismatches;
      const double distance = std::fabs(double{value} - double{expected});
      if (!(distance <= result.max_abs_err)) result.max_abs_err = distance;
      if (!first) first = Element{row, col, value, expected, 0.0};
    }
  }
  if (first) {
    result.gate = failed_at(Gate::implementation,
                            fmt::format("{} of {} elements differ from the scheme's answer", result.mismatches,
                                        static_cast<std::int64_t>(answer.rows.size()) * output.cols()), *first);
  } else {
    result.gate = passed(Gate::implementation);
  }
  return result;
}

RoundingError judge_rounding(const Matrix<float>& output,
                             const std::optional<reference::RoundingExpectation>& rounding) {
  if (auto reason = why_unbounded(rounding)) return {{}, not_measured(Gate::implementation, std::move(*reason))};
  double largest = 0.0;
  std::optional<Element> first;
  for (std::int64_t row = 0; row < output.rows(); ++row) {
    for (std::int64_t col = 0; col < output.cols(); ++col) {
      const Element here{row, col, output(row, col), rounding->product(row, col), rounding->bound(row, col)};
      const double error = std::fabs(here.value - here.reference);
      largest = std::max(largest,
                         std::isfinite(error) ? fraction(error, here.bound) : std::numeric_limits<double>::infinity());
      if (!(error <= here.bound) && !first) first = here;
    }
  }
  if (!first) return {largest, passed(Gate::implementation)};
  RoundingError result;
  if (std::isfinite(largest)) result.bound_fraction = largest;
  result.gate =
      failed_at(Gate::implementation,
                fmt::format("the product of the quantized operands is missed by more than the sum can round, by a "
                            "factor of {:.3g} at worst",
                            largest),
                *first);
  return result;
}

GateResult judge_bounded_error(const Metrics& metrics, const std::optional<reference::RoundingExpectation>& rounding) {
  if (auto reason = why_unbounded(rounding)) return not_measured(Gate::error, std::move(*reason));
  return judge_error(metrics);
}

GateResult judge_error(const Metrics& metrics) {
  if (metrics.nonfinite != 0) return failed_at(Gate::error, "an element is not finite", *metrics.first_nonfinite);
  if (!metrics.first_beyond_bound) return passed(Gate::error);
  return failed_at(Gate::error,
                   fmt::format("the error exceeds the a-priori bound, by a factor of {:.3g} at worst", metrics.bound_fraction),
                   *metrics.first_beyond_bound);
}

GateResult judge_day98(const Metrics& metrics, Day98Gate applies) {
  if (applies == Day98Gate::kDoesNotApply) {
    return {.gate = Gate::day98, .state = State::not_applicable, .decides = false,
            .detail = "the scheme leaves out or rescales data that the gate's limit counts"};
  }
  GateResult result = passed(Gate::day98);
  if (metrics.nonfinite != 0) {
    result = failed_at(Gate::day98, "an element is not finite", *metrics.first_nonfinite);
  } else if (metrics.first_beyond_k_gate) {
    result = failed_at(Gate::day98, fmt::format("the error is {:.3g} of 4·K·max|A|·max|B[:,c]|/127", metrics.k_gate_fraction),
                       *metrics.first_beyond_k_gate);
  }
  result.decides = applies == Day98Gate::kDecides;
  return result;
}

}  // namespace narrowgate
