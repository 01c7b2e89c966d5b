// Promotes a run to baseline: an explicit act, with a reason, of a complete and green run of a clean tree.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/record.h"
#include "baselines/store.h"

namespace narrowgate {

struct AcceptOptions {
  enum class DirtyTree { refuse, allow };

  std::string why;
  std::string date;  // "2026-11-30", of the acceptance
  DirtyTree dirty_tree = DirtyTree::refuse;
};

struct Acceptance {
  AccuracyBaseline accuracy;  // the old lines with the run's lines over them
  std::vector<std::string> added, changed;
  std::size_t unchanged = 0;
  std::size_t fractions = 0;  // of the bounds of bounded kernels: bounded_baseline() holds them
  std::string why_line;  // for WHY.md
};

// Why the reason cannot become a line of WHY.md: it is empty, or would be more than a line. Nothing where it can.
std::optional<Error> refuse_reason(const std::string& why);

// Refused: an empty why or one of several lines, a planted bug, a dirty or unknown tree, a cell missing or crashed, a
// gate that failed or was not measured, exact kernels of one case that disagree, nothing measured.
tl::expected<Acceptance, Error> accept(const Results& results, const AccuracyBaseline& accuracy,
                                       const AcceptOptions& options);

// What the run's bounded kernels use of their bounds, over the lines that are stored.
BoundedBaseline bounded_baseline(const Results& results, BoundedBaseline stored = {});

// The times of a run, one baseline per device key; simulated kernels have none. Cells that are stored for the same key
// and suite and were not in the run keep their line, so that a filtered run does not erase the others.
std::vector<TimingBaseline> timing_baselines(const Results& results, const std::vector<TimingBaseline>& stored = {});

}  // namespace narrowgate
