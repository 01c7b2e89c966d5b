// The time of one cell against the stored timing baseline. It marks a row and decides nothing: only an interleaved A/B
// of two builds confirms a slowdown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baselines/record.h"
#include "baselines/store.h"
#include "baselines/verdict.h"

namespace narrowgate {

struct TimeJudgement {
  TimeState state = TimeState::unmeasured;
  std::string reason;
  std::optional<double> baseline_time_ns;
  std::optional<double> ratio;  // now over baseline
};

// The process is the unit of replication: fewer launches than this on either side judge nothing.
inline constexpr std::size_t kLaunchesToJudge = 5;

// Relative change that is worth a mark, where the test is significant at 1 %.
double minimum_effect(Row::Backend backend);

// Medians of the launches of both sides, in ns, all above 0.
TimeJudgement judge_launches(std::span<const double> now, std::span<const double> stored, double minimum_effect);

TimeJudgement judge_time(const Row& row, const std::string& suite, const std::vector<TimingBaseline>& baselines);

}  // namespace narrowgate
