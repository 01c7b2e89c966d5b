// The error of one cell: its gates, and for an exact kernel the stored answer of its case.
#pragma once

#include <optional>
#include <string>

#include "baselines/record.h"
#include "baselines/store.h"
#include "baselines/verdict.h"

namespace narrowgate {

struct ErrorJudgement {
  ErrorState state = ErrorState::no_verdict;
  std::string reason;  // empty only for PASS
};

// What the row alone says. Nothing where it is sound: measured, finite, every deciding gate passed. A later judgement
// may not turn what this returns into something better.
std::optional<ErrorJudgement> judge_row(const Row& row);

// An exact row. baseline: the line of the row's case, or null. accept_command: named where there is none.
ErrorJudgement judge_error(const Row& row, const AccuracyLine* baseline, const std::string& accept_command);

// The same for a bounded row, which has no stored answer but a stored fraction of its bound. `key`: the device key that
// the fraction is stored under, or nothing where the run does not know its device.
ErrorJudgement judge_bounded_error(const Row& row, const std::optional<std::string>& key, std::optional<double> stored,
                                   const std::string& accept_command);

// The answer of an exact row as a baseline line; nothing where a part of it was not measured.
std::optional<AccuracyLine> answer_of(const Row& row);

// What differs between two answers, "digest" or the name of the first metric; nothing when they are equal to the bit.
std::optional<std::string> first_difference(const AccuracyLine& a, const AccuracyLine& b);

}  // namespace narrowgate
