// Runs a plan: every cell becomes a row, journalled as it ends, so that a killed run resumes.
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "suites/engine/case_run.h"

namespace narrowgate {

enum class Timing { kOff, kOn };
enum class Resume { kNo, kYes };

struct RunProgress {
  std::size_t done = 0, planned = 0;  // cells
  double work_done = 0;               // share of the arithmetic, 0…1: what an estimate of time goes by
};

struct RunOptions {
  Timing timing = Timing::kOn;
  Resume resume = Resume::kNo;
  const Plant* plant = nullptr;
  std::string out = "results.json";
  RunContext context;  // describe_environment() with suite, command and filter filled in
  // Called after each cell.
  std::function<void(const RunProgress& progress, const Row& row)> progress;
  std::function<void(const std::string& notice)> notice;
};

// Writes options.out and returns what it wrote.
tl::expected<Results, Error> run_cells(const std::vector<Cell>& cells, RunOptions options);

}  // namespace narrowgate
