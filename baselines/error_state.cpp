#include "baselines/error_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace narrowgate {
namespace {

using Judgement = std::optional<ErrorJudgement>;

bool failed(const GateResult& gate) { return gate.decides && gate.state == GateResult::State::fail; }

std::string with_detail(const GateResult& gate, const std::string& what) {
  const std::string detail = gate.detail.value_or("");
  return fmt::format("gate {} {}{}{}", to_string(gate.gate), what, detail.empty() ? "" : ": ", detail);
}

Judgement judge_execution(const Row& row) {
  switch (row.state) {
    case Row::State::skipped:
      return ErrorJudgement{ErrorState::skipped, row.reason.value_or("skipped without a reason")};
    case Row::State::crashed:
      return ErrorJudgement{ErrorState::invalid, fmt::format("crashed: {}", row.reason.value_or("no reason was recorded"))};
    case Row::State::measured:
      return std::nullopt;
  }
  return ErrorJudgement{ErrorState::invalid, "the row is in no known state"};
}

// Values that no sound measurement gives.
Judgement judge_values(const Row& row) {
  if (row.nonfinite.value_or(0) != 0) {
    return ErrorJudgement{ErrorState::invalid, fmt::format("{} output element{} not finite", *row.nonfinite,
                                                           *row.nonfinite == 1 ? " is" : "s are")};
  }
  const std::pair<const char*, std::optional<double>> metrics[] = {{"max_abs_err", row.max_abs_err},
                                                                   {"mean_abs_err", row.mean_abs_err},
                                                                   {"rms_err", row.rms_err},
                                                                   {"bound_fraction", row.bound_fraction},
                                                                   {"implementation_bound_fraction",
                                                                    row.implementation_bound_fraction}};
  for (const auto& [name, value] : metrics) {
    if (value && !(*value >= 0)) {
      return ErrorJudgement{ErrorState::invalid, fmt::format("{} is {}, and an error is never below 0", name, *value)};
    }
  }
  return std::nullopt;
}

Judgement judge_failed_gates(const Row& row) {
  for (const GateResult& gate : row.gates) {
    if (gate.gate == GateResult::Gate::guards && failed(gate)) {
      return ErrorJudgement{ErrorState::invalid, with_detail(gate, "failed")};
    }
  }
  for (const GateResult& gate : row.gates) {
    if (failed(gate)) return ErrorJudgement{ErrorState::regressed, with_detail(gate, "failed")};
  }
  if (row.contract == Row::Contract::exact && row.implementation_mismatches.value_or(0) != 0) {
    return ErrorJudgement{ErrorState::regressed, fmt::format("{} elements differ from the scheme's answer",
                                                             *row.implementation_mismatches)};
  }
  return std::nullopt;
}

Judgement judge_unmeasured_gates(const Row& row) {
  if (row.gates.empty()) return ErrorJudgement{ErrorState::no_verdict, "the row holds no gates"};
  bool any_passed = false;
  for (const GateResult& gate : row.gates) {
    if (!gate.decides) continue;
    if (gate.state == GateResult::State::not_measured) {
      return ErrorJudgement{ErrorState::no_verdict, with_detail(gate, "was not measured")};
    }
    any_passed = any_passed || gate.state == GateResult::State::pass;
  }
  if (any_passed) return std::nullopt;
  return ErrorJudgement{ErrorState::no_verdict, "no gate that decides was applied"};
}

// The most that a cell may use of its bound where it used `fraction` before: a quarter more, or one per cent of the
// bound.
double allowed_after(double fraction) { return std::max(1.25 * fraction, fraction + 0.01); }

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

std::optional<ErrorJudgement> judge_row(const Row& row) {
  for (const auto& judge : {judge_execution, judge_values, judge_failed_gates, judge_unmeasured_gates}) {
    if (Judgement judgement = judge(row)) return judgement;
  }
  return std::nullopt;
}

std::optional<AccuracyLine> answer_of(const Row& row) {
  const bool whole = row.digest && row.max_abs_err && row.mean_abs_err && row.rms_err && row.worst_row &&
                     row.worst_col && row.bound_fraction;
  if (!whole) return std::nullopt;
  AccuracyLine line;
  line.family = row.family.value_or(row.scheme.substr(0, row.scheme.find('.')));
  line.digest = *row.digest;
  line.max_abs_err = *row.max_abs_err;
  line.mean_abs_err = *row.mean_abs_err;
  line.rms_err = *row.rms_err;
  line.bound_fraction = *row.bound_fraction;
  line.worst_row = *row.worst_row;
  line.worst_col = *row.worst_col;
  return line;
}

std::optional<std::string> first_difference(const AccuracyLine& a, const AccuracyLine& b) {
  if (a.digest != b.digest) return "digest";
  if (!same_bits(a.max_abs_err, b.max_abs_err)) return "max_abs_err";
  if (!same_bits(a.mean_abs_err, b.mean_abs_err)) return "mean_abs_err";
  if (!same_bits(a.rms_err, b.rms_err)) return "rms_err";
  if (!same_bits(a.bound_fraction, b.bound_fraction)) return "bound_fraction";
  if (a.worst_row != b.worst_row) return "worst_row";
  if (a.worst_col != b.worst_col) return "worst_col";
  return std::nullopt;
}

ErrorJudgement judge_error(const Row& row, const AccuracyLine* baseline, const std::string& accept_command) {
  const Judgement alone = judge_row(row);
  // A changed answer is an event even where a gate was not measured; only what the row itself condemns comes before.
  if (alone && alone->state != ErrorState::no_verdict) return *alone;
  if (baseline != nullptr && row.digest && *row.digest != baseline->digest) {
    return {ErrorState::changed, fmt::format("the output differs: digest {}, stored {}", *row.digest, baseline->digest)};
  }
  if (alone) return *alone;
  const std::optional<AccuracyLine> answer = answer_of(row);
  if (!answer) return {ErrorState::no_verdict, "the row lacks its digest or a metric that the baseline holds"};
  if (baseline == nullptr) {
    return {ErrorState::new_case, "the baseline has no line for this case; accept it first: " + accept_command};
  }
  if (const auto metric = first_difference(*answer, *baseline)) {
    return {ErrorState::changed, fmt::format("{} differs from the stored value, although the output is the same", *metric)};
  }
  return {ErrorState::pass, ""};
}

ErrorJudgement judge_bounded_error(const Row& row, const std::optional<std::string>& key, std::optional<double> stored,
                                   const std::string& accept_command) {
  if (const Judgement alone = judge_row(row)) return *alone;
  if (!row.implementation_bound_fraction) {
    return {ErrorState::no_verdict, "the row lacks what the kernel uses of its bound"};
  }
  if (!key) return {ErrorState::no_verdict, "the run does not know the device that the kernel ran on"};
  if (!stored) {
    return {ErrorState::new_case,
            fmt::format("no fraction of its bound is stored for this cell on {}; accept it first: {}", *key,
                        accept_command)};
  }
  const double used = *row.implementation_bound_fraction;
  const std::string change = fmt::format("uses {:.4g} of its bound, stored {:.4g} on {}", used, *stored, *key);
  if (!(used <= allowed_after(*stored))) return {ErrorState::regressed, change};
  if (!(*stored <= allowed_after(used))) return {ErrorState::improved, change};
  return {ErrorState::pass, ""};
}

}  // namespace narrowgate
