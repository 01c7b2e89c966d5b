// The time of one launch, first version: Google Benchmark's loop on the CPU, events on a CUDA device.
// Packing and copies are not in it; the operands are where bind() put them.
#pragma once

#include <string>
#include <vector>

#include "suites/engine/plan.h"

namespace narrowgate {

struct TimeSamples {
  std::vector<double> samples_ns;  // CPU: mean of one repetition's iterations; CUDA: one launch, cold L2
  double median_ns = 0;
  double min_ns = 0;
  double cpu_time_ns = 0;
  double relative_standard_error = 0;  // of the median
  std::int64_t iterations = 0;         // launches in all samples
  std::string stop_reason;
};

TimeSamples time_launch(const Cell& cell, const Launch& launch, Memory& memory, double budget_ms);

double median(std::vector<double> values);
// 1.2533·s/√n over the median: the standard error of the median of a normal sample.
double relative_standard_error_of_median(const std::vector<double>& values);

}  // namespace narrowgate
