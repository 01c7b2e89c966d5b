#include "baselines/sentence.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace narrowgate {
namespace {

template <class State>
using Words = std::vector<std::pair<State, const char*>>;

const Words<ErrorState> kFailures{
    {ErrorState::invalid, "invalid"}, {ErrorState::regressed, "regressed"}, {ErrorState::changed, "changed"}};
const Words<ErrorState> kUndecided{
    {ErrorState::missing, "missing"}, {ErrorState::no_verdict, "without a verdict"}, {ErrorState::new_case, "new"}};
const Words<TimeState> kTimes{{TimeState::slower, "slower"},
                              {TimeState::faster, "faster"},
                              {TimeState::same, "same"},
                              {TimeState::ambiguous, "ambiguous"},
                              {TimeState::suspicious_fast, "suspiciously fast"},
                              {TimeState::invalid, "invalid"},
                              {TimeState::incomparable, "incomparable"},
                              {TimeState::unmeasured, "unmeasured"}};

// "1 regressed, 1 changed": zero parts are dropped.
template <class State>
std::string parts(const Words<State>& words, const Counts<State>& counts) {
  std::vector<std::string> found;
  for (const auto& [state, word] : words) {
    if (counts[state] != 0) found.push_back(fmt::format("{} {}", counts[state], word));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

std::int64_t sum(const Words<ErrorState>& words, const Counts<ErrorState>& counts) {
  std::int64_t total = 0;
  for (const auto& [state, word] : words) total += counts[state];
  return total;
}

std::string time_part(const Counts<TimeState>& counts) {
  if (counts[TimeState::unmeasured] == counts.total) return "Time: not measured.";
  return fmt::format("Time: {}.", parts(kTimes, counts));
}

std::string error_part(int exit_code, const Counts<ErrorState>& counts) {
  const std::int64_t failing = sum(kFailures, counts);
  const std::int64_t undecided = sum(kUndecided, counts);
  const std::int64_t skipped = counts[ErrorState::skipped];
  if (exit_code == 0) {
    const std::string rest = skipped == 0 ? "" : fmt::format("; {} skipped", skipped);
    return fmt::format("Error gate PASS, {}{}.", counted_cells(counts.total - skipped), rest);
  }
  if (failing != 0) {
    const std::string rest = undecided == 0 ? "" : fmt::format("; {}", parts(kUndecided, counts));
    return fmt::format("Error gate FAIL, {} of {}: {}{}.", failing, counted_cells(counts.total),
                       parts(kFailures, counts), rest);
  }
  if (counts.total == 0) return "No verdict: no cell was planned.";
  if (undecided == 0) return fmt::format("No verdict: nothing was measured, {} skipped.", counted_cells(skipped));
  return fmt::format("No verdict: {} of {} undecided, {}.", undecided, counted_cells(counts.total),
                     parts(kUndecided, counts));
}

}  // namespace

std::string counted_cells(std::int64_t count) { return fmt::format("{} cell{}", count, count == 1 ? "" : "s"); }

std::string sentence(int exit_code, const Counts<ErrorState>& counts, const Counts<TimeState>& time_counts) {
  return error_part(exit_code, counts) + " " + time_part(time_counts);
}

}  // namespace narrowgate
