// What probably went wrong: known bugs are planted into the scheme's own computation, and the one whose output comes
// nearest to C is named, with how much of the difference it explains. Without a good one nothing is claimed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suites/check/judgement.h"

namespace narrowgate::check {

// A cause is named from here on.
inline constexpr double kClearlyExplained = 0.9;

struct Cause {
  std::string text;
  double explained = 0;  // of the squared difference, in units of the bound; at most 1
};

std::optional<Cause> diagnose(Subject& subject, const Tally& found);

// Lines about whole rows and columns, in words.
std::vector<std::string> strips(const Tensors& tensors, const Tally& found);

}  // namespace narrowgate::check
