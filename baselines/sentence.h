// The verdict as one line of text.
#pragma once

#include <string>

#include "baselines/verdict.h"

namespace narrowgate {

// "Error gate PASS, 412 cells. Time: 3 slower, 1 faster, 402 same, 6 ambiguous."
std::string sentence(int exit_code, const Counts<ErrorState>& counts, const Counts<TimeState>& time_counts);

// "1 cell", "2 cells".
std::string counted_cells(std::int64_t count);

}  // namespace narrowgate
