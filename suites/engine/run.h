// Runs a plan: every cell becomes a row, journalled as it ends, so that a killed run resumes.
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "suites/engine/case_run.h"

namespace narrowgate {

enum class Timing { kOff, kOn };
enum class Resume { kNo, kYes };

struct RunOptions {
  Timing timing = Timing::kOn;
  Resume resume = Resume::kNo;
  const Plant* plant = nullptr;
  std::string out = "results.json";
  RunContext context;  // describe_environment() with suite, command and filter filled in
  // Called after each cell.
  std::function<void(std::size_t done, std::size_t planned, const Row& row)> progress;
  std::function<void(const std::string& notice)> notice;
};

// Writes options.out and returns what it wrote.
tl::expected<Results, Error> run_suite(const Suite& suite, const std::vector<Cell>& cells, RunOptions options);

}  // namespace narrowgate
