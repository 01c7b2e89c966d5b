#include "suites/engine/timing.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#ifdef NARROWGATE_HAS_CUDA
#include "kernels/cuda/device.h"
#endif

namespace narrowgate {
namespace {

constexpr int kRepetitions = 9;
constexpr double kWantedRelativeError = 0.005;

// Collects what Google Benchmark measured instead of printing it.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) throw std::runtime_error("timing: " + run.error_message);
      const auto launches = static_cast<double>(run.iterations);
      samples.samples_ns.push_back(run.real_accumulated_time / launches * 1e9);
      samples.cpu_time_ns += run.cpu_accumulated_time / launches * 1e9 / kRepetitions;
      samples.iterations += run.iterations;
    }
  }
  TimeSamples samples;
};

TimeSamples time_on_cpu(const std::string& name, const Launch& launch, double budget_ms) {
  // Google Benchmark spends about a third of the time again on finding the number of iterations.
  const double seconds = budget_ms / 1000.0 / (kRepetitions + 3);
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(name.c_str(), [&launch](benchmark::State& state) {
    for (auto iteration : state) {
      (void)iteration;
      launch();
      benchmark::ClobberMemory();
    }
  })->UseRealTime()->MinTime(seconds)->Repetitions(kRepetitions);
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector, ".*");
  benchmark::ClearRegisteredBenchmarks();
  TimeSamples samples = std::move(collector.samples);
  samples.stop_reason = fmt::format("{} repetitions of Google Benchmark", samples.samples_ns.size());
  return samples;
}

#ifdef NARROWGATE_HAS_CUDA
TimeSamples time_on_device(const Launch& launch, Memory& memory, double budget_ms) {
  constexpr int kWarmUps = 3;
  constexpr std::size_t kFewest = 10;
  constexpr std::size_t kMost = 1000;
  cuda::Timer timer(memory.stream());
  for (int i = 0; i < kWarmUps; ++i) timer.sample_cold(launch);
  TimeSamples samples;
  const auto start = std::chrono::steady_clock::now();
  const auto spent_ms = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  for (;;) {
    samples.samples_ns.push_back(timer.sample_cold(launch));
    if (samples.samples_ns.size() < kFewest) continue;
    if (relative_standard_error_of_median(samples.samples_ns) <= kWantedRelativeError) {
      samples.stop_reason = "the median's relative standard error reached 0.5 %";
      break;
    }
    if (spent_ms() > budget_ms || samples.samples_ns.size() >= kMost) {
      samples.stop_reason = "the budget ended";
      break;
    }
  }
  samples.iterations = static_cast<std::int64_t>(samples.samples_ns.size());
  return samples;
}
#endif

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

double relative_standard_error_of_median(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double mean = 0.0, squares = 0.0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return 1.2533 * std::sqrt(squares / (n - 1.0) / n) / median(values);
}

TimeSamples time_launch(const Cell& cell, const Launch& launch, Memory& memory, double budget_ms) {
#ifdef NARROWGATE_HAS_CUDA
  TimeSamples samples = cell.kernel->backend == Backend::kCuda ? time_on_device(launch, memory, budget_ms)
                                                               : time_on_cpu(cell.id(), launch, budget_ms);
#else
  (void)memory;
  TimeSamples samples = time_on_cpu(cell.id(), launch, budget_ms);
#endif
  samples.median_ns = median(samples.samples_ns);
  samples.min_ns = *std::min_element(samples.samples_ns.begin(), samples.samples_ns.end());
  samples.relative_standard_error = relative_standard_error_of_median(samples.samples_ns);
  if (cell.kernel->backend == Backend::kCuda) samples.cpu_time_ns = samples.median_ns;
  return samples;
}

}  // namespace narrowgate
