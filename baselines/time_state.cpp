#include "baselines/time_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "baselines/welch.h"

namespace narrowgate {
namespace {

constexpr double kSignificance = 0.01;

TimeJudgement without_baseline(TimeState state, std::string reason) { return {state, std::move(reason), {}, {}}; }

std::vector<double> logarithms(std::span<const double> times) {
  std::vector<double> logs;
  for (const double time : times) logs.push_back(std::log(time));
  return logs;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// A time was taken, but nothing is stored that it could be compared with.
TimeJudgement no_baseline(const Row& row, const std::string& suite, const std::vector<TimingBaseline>& baselines) {
  const bool key_known = std::any_of(baselines.begin(), baselines.end(), [&](const TimingBaseline& baseline) {
    return baseline.device.key == *row.device_key;
  });
  if (key_known) {
    return without_baseline(TimeState::incomparable, fmt::format("no times of the suite {} are stored for this device", suite));
  }
  if (baselines.empty()) return without_baseline(TimeState::incomparable, "no times are stored yet");
  return without_baseline(TimeState::incomparable,
                          fmt::format("measured on \"{}\"; the stored times are of other devices, the first \"{}\"",
                                      *row.device_key, baselines.front().device.key));
}

}  // namespace

double minimum_effect(Row::Backend backend) { return backend == Row::Backend::cuda ? 0.01 : 0.02; }

TimeJudgement judge_launches(std::span<const double> now, std::span<const double> stored, double minimum_effect) {
  const std::vector<double> now_logs = logarithms(now);
  const std::vector<double> stored_logs = logarithms(stored);
  TimeJudgement judgement;
  judgement.baseline_time_ns = std::exp(mean(stored_logs));
  judgement.ratio = std::exp(mean(now_logs) - mean(stored_logs));
  if (now.size() < kLaunchesToJudge || stored.size() < kLaunchesToJudge) {
    judgement.state = TimeState::ambiguous;
    judgement.reason = fmt::format("{} launch{} now, {} stored; at least {} on each side are needed to judge",
                                   now.size(), now.size() == 1 ? "" : "es", stored.size(), kLaunchesToJudge);
    return judgement;
  }
  const WelchResult test = welch(now_logs, stored_logs);
  const bool significant = test.p < kSignificance;
  const double threshold = std::log1p(minimum_effect);
  judgement.state = TimeState::same;
  if (significant && test.difference > threshold) judgement.state = TimeState::slower;
  if (significant && test.difference < -threshold) judgement.state = TimeState::faster;
  judgement.reason = fmt::format("{:+.1f} %, p = {:.2g}, {} launches against {}, minimum effect {:g} %",
                                 (*judgement.ratio - 1) * 100, test.p, now.size(), stored.size(), minimum_effect * 100);
  return judgement;
}

TimeJudgement judge_time(const Row& row, const std::string& suite, const std::vector<TimingBaseline>& baselines) {
  if (row.state != Row::State::measured) {
    return without_baseline(TimeState::unmeasured, fmt::format("the cell was not measured: {}", to_string(row.state)));
  }
  if (row.time_state != Row::TimeState::measured) {
    return without_baseline(TimeState::unmeasured, row.time_reason.value_or("no time was taken"));
  }
  if (!row.real_time) return without_baseline(TimeState::invalid, "marked as measured, but the row holds no time");
  if (!(*row.real_time > 0)) {
    return without_baseline(TimeState::invalid,
                            fmt::format("a time of {} ns is below the resolution of the clock", *row.real_time));
  }
  if (!row.device_key) return without_baseline(TimeState::incomparable, "the row names no device key");
  const auto baseline = std::find_if(baselines.begin(), baselines.end(), [&](const TimingBaseline& candidate) {
    return candidate.device.key == *row.device_key && candidate.suite == suite;
  });
  if (baseline == baselines.end()) return no_baseline(row, suite, baselines);
  const auto line = baseline->cells.find(row.id);
  if (line == baseline->cells.end()) {
    return without_baseline(TimeState::incomparable, "the times stored for this device have no line for this cell");
  }
  const double now = *row.real_time;
  TimeJudgement judgement = judge_launches({&now, 1}, line->second.launches, minimum_effect(row.backend));
  judgement.baseline_time_ns = line->second.median_ns;
  judgement.ratio = now / line->second.median_ns;
  return judgement;
}

}  // namespace narrowgate
