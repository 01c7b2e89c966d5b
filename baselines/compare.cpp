#include "baselines/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "baselines/error_state.h"
#include "baselines/results_file.h"
#include "baselines/sentence.h"
#include "baselines/text_escape.h"
#include "baselines/time_state.h"

namespace narrowgate {
namespace {

constexpr int kPass = 0;
constexpr int kRegression = 1;
constexpr int kNoVerdict = 3;

// Worst first; a state that is not here needs nobody.
constexpr std::array kNeedsAttention{ErrorState::invalid, ErrorState::regressed,  ErrorState::changed,
                                     ErrorState::missing, ErrorState::no_verdict, ErrorState::new_case};
constexpr std::array kTimeNeedsAttention{TimeState::invalid, TimeState::slower, TimeState::suspicious_fast};

std::string accept_command(const CompareOptions& options) {
  return fmt::format("narrowgate accept {} --why 'the reason'", shell_word(options.results_path));
}

CellVerdict missing_cell(const std::string& id) {
  CellVerdict cell;
  cell.id = id;
  cell.state = ErrorState::missing;
  cell.reason = "planned, but not in the results";
  cell.time_reason = "the cell is missing";
  return cell;
}

// What is stored, all of it.
struct Baselines {
  const AccuracyBaseline& accuracy;
  const BoundedBaseline& bounded;
  const std::vector<TimingBaseline>& timing;
};

std::optional<double> stored_fraction(const BoundedBaseline& bounded, const std::optional<std::string>& key,
                                      const std::string& id) {
  const auto device = key ? bounded.devices.find(*key) : bounded.devices.end();
  if (device == bounded.devices.end()) return std::nullopt;
  const auto line = device->second.find(id);
  return line == device->second.end() ? std::nullopt : std::optional(line->second);
}

// Judges the row by what is stored for it, and keeps that in the cell.
ErrorJudgement judge_by_baseline(CellVerdict& cell, const Row& row, const RunContext& context,
                                 const Baselines& baselines, const CompareOptions& options) {
  if (row.contract == Row::Contract::bounded) {
    const std::optional<std::string> key = bounded_key(row, context);
    cell.baseline_bound_fraction = stored_fraction(baselines.bounded, key, row.id);
    return judge_bounded_error(row, key, cell.baseline_bound_fraction, accept_command(options));
  }
  const auto line = baselines.accuracy.cases.find(row.case_id);
  if (line != baselines.accuracy.cases.end()) cell.baseline = line->second;
  return judge_error(row, cell.baseline ? &*cell.baseline : nullptr, accept_command(options));
}

CellVerdict judged_cell(const Row& row, const RunContext& context, const Baselines& baselines,
                        const CompareOptions& options) {
  CellVerdict cell;
  cell.id = row.id;
  ErrorJudgement error = judge_by_baseline(cell, row, context, baselines, options);
  cell.state = error.state;
  cell.reason = std::move(error.reason);
  const TimeJudgement time = judge_time(row, context.suite, baselines.timing);
  cell.time_state = time.state;
  cell.time_reason = time.reason;
  cell.baseline_time_ns = time.baseline_time_ns;
  cell.time_ratio = time.ratio;
  cell.row = row;
  return cell;
}

template <class States, class State>
std::size_t rank_in(const States& states, State state) {
  return static_cast<std::size_t>(std::find(states.begin(), states.end(), state) - states.begin());
}

// Cells that fail come before cells that are only slow.
std::size_t rank(const CellVerdict& cell) {
  const std::size_t by_error = rank_in(kNeedsAttention, cell.state);
  if (by_error < kNeedsAttention.size()) return by_error;
  return by_error + rank_in(kTimeNeedsAttention, cell.time_state);
}

std::vector<std::string> attention(const std::vector<CellVerdict>& cells) {
  constexpr std::size_t kNobody = kNeedsAttention.size() + kTimeNeedsAttention.size();
  std::vector<const CellVerdict*> needy;
  for (const CellVerdict& cell : cells) {
    if (rank(cell) < kNobody) needy.push_back(&cell);
  }
  std::stable_sort(needy.begin(), needy.end(), [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  std::vector<std::string> ids;
  for (const CellVerdict* cell : needy) ids.push_back(cell->id);
  return ids;
}

// The first five of a list of names, for a message.
template <class Names>
std::string first_names(const Names& names) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kShown) break;
    shown.push_back(shortened(name));
  }
  const std::string more = names.size() > kShown ? fmt::format(", and {} more", names.size() - kShown) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

// Exact cells were measured, and the baseline knows none of their cases: probably the wrong folder or a rename.
std::optional<std::string> no_overlap(const Results& results, const AccuracyBaseline& accuracy,
                                      const CompareOptions& options) {
  std::set<std::string> measured;
  for (const Row& row : results.benchmarks) {
    if (row.state == Row::State::measured && row.contract == Row::Contract::exact) measured.insert(row.case_id);
  }
  if (measured.empty()) return std::nullopt;
  const bool overlaps = std::any_of(measured.begin(), measured.end(),
                                    [&](const std::string& id) { return accuracy.cases.contains(id); });
  if (overlaps) return std::nullopt;
  if (accuracy.cases.empty()) {
    return fmt::format("the accuracy baseline in {} holds no case yet; accept a run first: {}", options.baseline_path,
                       accept_command(options));
  }
  std::vector<std::string> stored;
  for (const auto& [id, line] : accuracy.cases) stored.push_back(id);
  return fmt::format("no case is in both. Measured: {}. In the baseline: {}", first_names(measured), first_names(stored));
}

void decide_exit_code(Verdict& verdict, const Results& results, const AccuracyBaseline& accuracy,
                      const CompareOptions& options) {
  std::vector<int> codes;
  const auto reason = [&](int code, std::string words) {
    codes.push_back(code);
    verdict.reasons.push_back(std::move(words));
  };
  const auto count = [&](ErrorState state, int code, const char* words) {
    const std::int64_t cells = verdict.counts[state];
    if (cells != 0) reason(code, fmt::format("{} {}", counted_cells(cells), words));
  };
  count(ErrorState::invalid, kRegression, "INVALID: crashed, not finite, or a guard failed");
  count(ErrorState::regressed, kRegression, "REGRESSED: a gate failed");
  count(ErrorState::changed, kRegression, "CHANGED: not the stored answer");
  count(ErrorState::missing, kNoVerdict, "MISSING: planned and not in the results");
  count(ErrorState::no_verdict, kNoVerdict, "NO_VERDICT: too little was measured");
  count(ErrorState::new_case, kNoVerdict, "NEW: not in the baseline");
  if (results.manifest.empty()) reason(kNoVerdict, "the manifest is empty: nothing was planned");
  const bool measured = std::any_of(results.benchmarks.begin(), results.benchmarks.end(),
                                    [](const Row& row) { return row.state == Row::State::measured; });
  if (!results.manifest.empty() && !measured) reason(kNoVerdict, "no cell was measured");
  if (auto words = no_overlap(results, accuracy, options)) reason(kNoVerdict, std::move(*words));
  verdict.exit_code = leading_exit_code(codes);
}

template <class State>
bool adds_up(const Counts<State>& counts, std::size_t cells) {
  return counts.total == static_cast<std::int64_t>(cells) &&
         std::accumulate(counts.of.begin(), counts.of.end(), std::int64_t{0}) == counts.total;
}

BaselineSummary summary(const AccuracyBaseline& accuracy, const std::vector<TimingBaseline>& timing,
                        const CompareOptions& options) {
  BaselineSummary summary{options.baseline_path, static_cast<std::int64_t>(accuracy.cases.size()), {}, options.published};
  std::set<std::string> keys;
  for (const TimingBaseline& baseline : timing) keys.insert(baseline.device.key);
  summary.timing_keys.assign(keys.begin(), keys.end());
  return summary;
}

}  // namespace

int leading_exit_code(const std::vector<int>& codes) {
  for (const int code : {2, 1, 5, 3, 4}) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return kPass;
}

tl::expected<Verdict, Error> compare(const Results& results, const AccuracyBaseline& accuracy,
                                     const BoundedBaseline& bounded, const std::vector<TimingBaseline>& timing,
                                     const CompareOptions& options) {
  if (const auto sound = check_results(results, options.results_path); !sound) return tl::unexpected(sound.error());
  std::unordered_map<std::string_view, const Row*> rows;
  for (const Row& row : results.benchmarks) rows.emplace(row.id, &row);

  const Baselines baselines{accuracy, bounded, timing};
  Verdict verdict;
  verdict.cells.reserve(results.manifest.size());
  for (const std::string& id : results.manifest) {
    const auto row = rows.find(id);
    CellVerdict cell =
        row == rows.end() ? missing_cell(id) : judged_cell(*row->second, results.context, baselines, options);
    cell.rerun = "narrowgate run " + shell_word(results.context.suite);
    for (const std::string& word : results.context.parameters) cell.rerun += " " + shell_word(word);
    cell.rerun += " --filter " + shell_quoted(id);
    if (results.context.planted) cell.rerun += " --plant " + shell_word(*results.context.planted);
    verdict.counts.add(cell.state);
    verdict.time_counts.add(cell.time_state);
    verdict.cells.push_back(std::move(cell));
  }
  const std::size_t planned = results.manifest.size();
  if (!adds_up(verdict.counts, planned) || !adds_up(verdict.time_counts, planned)) {
    return tl::unexpected(Error{fmt::format("{}: the states do not add up to the {} planned", options.results_path,
                                            counted_cells(static_cast<std::int64_t>(planned)))});
  }
  decide_exit_code(verdict, results, accuracy, options);
  verdict.sentence = sentence(verdict.exit_code, verdict.counts, verdict.time_counts);
  verdict.attention = attention(verdict.cells);
  verdict.results.push_back({options.results_path, options.results_xxh3});
  verdict.baseline = summary(accuracy, timing, options);
  verdict.context = results.context;
  verdict.cases = results.cases;
  return verdict;
}

}  // namespace narrowgate
