// What compare decided. Exit codes, summaries and pages only render it.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/record.h"
#include "baselines/store.h"

namespace narrowgate {

enum class ErrorState { pass, regressed, changed, improved, new_case, missing, skipped, invalid, no_verdict, waived };
enum class TimeState { same, faster, slower, ambiguous, suspicious_fast, invalid, incomparable, unmeasured };

template <>
struct Names<ErrorState> {
  static constexpr std::array<std::string_view, 10> value{"PASS",    "REGRESSED", "CHANGED", "IMPROVED",   "NEW",
                                                          "MISSING", "SKIPPED",   "INVALID", "NO_VERDICT", "WAIVED"};
};
template <>
struct Names<TimeState> {
  static constexpr std::array<std::string_view, 8> value{"SAME",            "FASTER",  "SLOWER",       "AMBIGUOUS",
                                                         "SUSPICIOUS_FAST", "INVALID", "INCOMPARABLE", "UNMEASURED"};
};

// How many cells are in each state.
template <class State>
struct Counts {
  std::array<std::int64_t, Names<State>::value.size()> of{};
  std::int64_t total = 0;

  std::int64_t operator[](State state) const { return of.at(static_cast<std::size_t>(state)); }
  void add(State state) {
    ++of.at(static_cast<std::size_t>(state));
    ++total;
  }
};

struct CellVerdict {
  std::string id;
  ErrorState state = ErrorState::no_verdict;
  std::string reason;  // one sentence; empty only for PASS
  TimeState time_state = TimeState::unmeasured;
  std::string time_reason;
  std::string rerun;               // the command that reruns just this cell
  std::optional<Row> row;          // empty when MISSING
  std::optional<AccuracyLine> baseline;            // of an exact kernel
  std::optional<double> baseline_bound_fraction;   // of a bounded one
  std::optional<double> baseline_time_ns, time_ratio;  // ratio: now over baseline
};

struct ResultsFile {
  std::string path, xxh3;
};

struct BaselineSummary {
  std::string path;
  std::int64_t cases = 0;
  std::vector<std::string> timing_keys;
  std::optional<std::string> published;  // JSON text
};

struct Verdict {
  int exit_code = 3;
  std::string sentence;
  std::vector<std::string> reasons;
  Counts<ErrorState> counts;
  Counts<TimeState> time_counts;
  std::vector<ResultsFile> results;
  BaselineSummary baseline;
  RunContext context;
  std::vector<std::string> attention;  // ids, worst first
  std::vector<CellVerdict> cells;
  std::vector<CaseProfile> cases;
};

tl::expected<Verdict, Error> parse_verdict(std::string_view text, const std::string& origin);
tl::expected<Verdict, Error> read_verdict(const std::string& path);
tl::expected<std::string, Error> verdict_text(const Verdict& verdict);  // the JSON text, one cell a line
tl::expected<void, Error> write_verdict(const std::string& path, const Verdict& verdict);

}  // namespace narrowgate
