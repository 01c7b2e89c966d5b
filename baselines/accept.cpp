#include "baselines/accept.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "baselines/error_state.h"
#include "baselines/results_file.h"
#include "baselines/text_escape.h"

namespace narrowgate {
namespace {

using Refusal = std::optional<Error>;

Refusal refuse(std::string why) { return Error{std::move(why)}; }

Refusal refuse_context(const RunContext& context, const AcceptOptions& options) {
  if (context.planted) return refuse(fmt::format("the run planted the bug \"{}\"", *context.planted));
  if (options.dirty_tree == AcceptOptions::DirtyTree::allow) return std::nullopt;
  if (!context.git_commit || !context.git_dirty) {
    return refuse("it is not known which commit was measured; --allow-dirty accepts it all the same");
  }
  if (*context.git_dirty) {
    return refuse("the tree had uncommitted changes; commit and measure again, or --allow-dirty");
  }
  return std::nullopt;
}

Refusal refuse_incomplete(const Results& results) {
  std::unordered_map<std::string_view, const Row*> rows;
  for (const Row& row : results.benchmarks) rows.emplace(row.id, &row);
  for (const std::string& id : results.manifest) {
    const auto row = rows.find(id);
    if (row == rows.end()) return refuse(fmt::format("the run is incomplete: {} is missing", shortened(id)));
    const std::optional<ErrorJudgement> judgement = judge_row(*row->second);
    if (judgement && judgement->state != ErrorState::skipped) {
      return refuse(fmt::format("{}: {}", shortened(id), judgement->reason));
    }
  }
  return std::nullopt;
}

// The answers of the run's cases: what its exact kernels agree on. Cases with only bounded kernels have none.
struct Answers {
  std::map<std::string, AccuracyLine> by_case;
  std::map<std::string, std::string> given_by;  // case → first cell
};

tl::expected<Answers, Error> answers(const Results& results) {
  Answers answers;
  for (const Row& row : results.benchmarks) {
    if (row.state != Row::State::measured || row.contract != Row::Contract::exact) continue;
    const std::optional<AccuracyLine> answer = answer_of(row);
    if (!answer) {
      return tl::unexpected(*refuse(fmt::format("{}: its digest or a metric was not measured", shortened(row.id))));
    }
    const auto [first, fresh] = answers.by_case.emplace(row.case_id, *answer);
    if (fresh) {
      answers.given_by.emplace(row.case_id, row.id);
      continue;
    }
    if (const auto difference = first_difference(first->second, *answer)) {
      return tl::unexpected(*refuse(fmt::format("{} and {} disagree on their case: {} differs",
                                                shortened(answers.given_by[row.case_id]), shortened(row.id), *difference)));
    }
  }
  return answers;
}

bool has_measured_rows(const Results& results) {
  return std::any_of(results.benchmarks.begin(), results.benchmarks.end(),
                     [](const Row& row) { return row.state == Row::State::measured; });
}

std::string why_line(const Acceptance& acceptance, const RunContext& context, const AcceptOptions& options) {
  const std::string fractions =
      acceptance.fractions == 0 ? "" : fmt::format(", {} fractions of bounds", acceptance.fractions);
  return fmt::format("- {} · {} new, {} changed, {} unchanged{} · {} · {}", options.date, acceptance.added.size(),
                     acceptance.changed.size(), acceptance.unchanged, fractions, options.why,
                     context.git_commit ? context.git_commit->substr(0, 12) : "unknown commit");
}

}  // namespace

std::optional<Error> refuse_reason(const std::string& why) {
  if (std::all_of(why.begin(), why.end(), [](char c) { return c == ' ' || c == '\t'; })) {
    return refuse("--why is empty; say in a line why the baseline changes");
  }
  if (visible(why) != why) return refuse("--why holds line ends or control characters; it becomes one line of WHY.md");
  return std::nullopt;
}

tl::expected<Acceptance, Error> accept(const Results& results, const AccuracyBaseline& accuracy,
                                       const AcceptOptions& options) {
  if (const auto sound = check_results(results, "results"); !sound) return tl::unexpected(sound.error());
  if (const Refusal refusal = refuse_reason(options.why)) return tl::unexpected(*refusal);
  if (const Refusal refusal = refuse_context(results.context, options)) return tl::unexpected(*refusal);
  if (const Refusal refusal = refuse_incomplete(results)) return tl::unexpected(*refusal);
  if (!has_measured_rows(results)) return tl::unexpected(*refuse("the run measured no cell: there is nothing to store"));
  tl::expected<Answers, Error> run = answers(results);
  if (!run) return tl::unexpected(run.error());

  Acceptance acceptance;
  acceptance.accuracy = accuracy;
  for (const auto& [id, answer] : run->by_case) {
    const auto stored = acceptance.accuracy.cases.find(id);
    if (stored == acceptance.accuracy.cases.end()) {
      acceptance.added.push_back(id);
      acceptance.accuracy.cases.emplace(id, answer);
    } else if (first_difference(stored->second, answer)) {
      acceptance.changed.push_back(id);
      const std::string family = stored->second.family;
      stored->second = answer;
      stored->second.family = family;  // a line stays in its file
    } else {
      ++acceptance.unchanged;
    }
  }
  for (const auto& [key, cells] : bounded_baseline(results).devices) acceptance.fractions += cells.size();
  acceptance.why_line = why_line(acceptance, results.context, options);
  return acceptance;
}

BoundedBaseline bounded_baseline(const Results& results, BoundedBaseline stored) {
  for (const Row& row : results.benchmarks) {
    const bool is_measured = row.state == Row::State::measured && row.implementation_bound_fraction;
    if (row.contract != Row::Contract::bounded || !is_measured) continue;
    const auto key = bounded_key(row, results.context);
    if (key) stored.devices[*key][row.id] = *row.implementation_bound_fraction;
  }
  return stored;
}

std::vector<TimingBaseline> timing_baselines(const Results& results, const std::vector<TimingBaseline>& stored) {
  std::map<std::string, TimingBaseline> by_key;
  for (const Row& row : results.benchmarks) {
    const bool timed = row.state == Row::State::measured && row.time_state == Row::TimeState::measured &&
                       row.backend != Row::Backend::simt && row.device_key && row.real_time && *row.real_time > 0;
    if (!timed) continue;
    const auto device = results.context.devices.find(std::string(to_string(row.backend)));
    if (device == results.context.devices.end() || device->second.key != *row.device_key) continue;
    TimingBaseline& baseline = by_key[*row.device_key];
    baseline.device = device->second;
    baseline.suite = results.context.suite;
    baseline.date = results.context.date;
    baseline.git_commit = results.context.git_commit;
    const double least = row.time_min_ns.value_or(*row.real_time);
    const auto samples = static_cast<std::int64_t>(std::max<std::size_t>(1, row.samples_ns.size()));
    baseline.cells.emplace(row.id, TimingLine{{*row.real_time}, *row.real_time, least, samples});
  }
  std::vector<TimingBaseline> baselines;
  for (auto& [key, baseline] : by_key) {
    for (const TimingBaseline& old : stored) {
      if (old.device.key == key && old.suite == baseline.suite) baseline.cells.insert(old.cells.begin(), old.cells.end());
    }
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

}  // namespace narrowgate
