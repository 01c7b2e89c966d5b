// Compares a run with the baselines. Pure, and the only place where a verdict is made.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/record.h"
#include "baselines/store.h"
#include "baselines/verdict.h"

namespace narrowgate {

struct CompareOptions {
  std::string results_path = "results.json";  // named in messages and in the verdict
  std::string results_xxh3;
  std::string baseline_path = "baselines";
  std::optional<std::string> published;  // JSON text of the published figures, carried into the verdict
};

// An error only where the verdict would contradict itself: cells that do not add up.
tl::expected<Verdict, Error> compare(const Results& results, const AccuracyBaseline& accuracy,
                                     const BoundedBaseline& bounded, const std::vector<TimingBaseline>& timing,
                                     const CompareOptions& options);

// 2, 1, 5, 3, 4, 0: the first of the codes that apply.
int leading_exit_code(const std::vector<int>& codes);

}  // namespace narrowgate
