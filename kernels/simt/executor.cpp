#include "kernels/simt/executor.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <mutex>

#include "kernels/simt/worker.h"

namespace narrowgate::simt {
namespace {

std::atomic<std::uint64_t> thread_order_seed{0};

// Spreads `runs` runs over the grid's blocks, the first and the last (with its tails) among them.
std::uint64_t block_of_run(std::uint64_t run, std::uint64_t runs, std::uint64_t blocks) {
  return runs == blocks ? run : run * (blocks - 1) / (runs - 1);
}

}  // namespace

void execute(const LaunchShape& launch, const std::function<void()>& thread_body) {
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const std::uint64_t order = thread_order_seed.load();
  const bool sampled = order != 0 && blocks > ScopedThreadOrder::kSampledBlocks;
  const auto runs = static_cast<std::int64_t>(sampled ? ScopedThreadOrder::kSampledBlocks : blocks);
  std::exception_ptr failure;
  std::mutex mutex;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t run = 0; run < runs; ++run) {
    if (failed) continue;
    const std::uint64_t index = block_of_run(static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(runs), blocks);
    const Dim3 block{static_cast<unsigned>(index % launch.grid.x),
                     static_cast<unsigned>(index / launch.grid.x % launch.grid.y),
                     static_cast<unsigned>(index / launch.grid.x / launch.grid.y)};
    try {
      this_worker().run_block(launch, thread_body, block, order == 0 ? 0 : order + index + 1);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

ScopedThreadOrder::ScopedThreadOrder(std::uint64_t seed) : previous_(thread_order_seed.exchange(seed)) {}
ScopedThreadOrder::~ScopedThreadOrder() { thread_order_seed = previous_; }

void check_source_lane(const Collective& collective, std::uint32_t mask, unsigned lane) {
  this_worker().check_source_lane(collective, mask, lane);
}
void* shared_memory(const void* site, std::size_t bytes) { return this_worker().shared_memory(site, bytes, {}); }
void* dynamic_shared_memory() { return this_worker().dynamic_shared_memory(); }
std::size_t dynamic_shared_bytes() { return this_worker().dynamic_shared_bytes(); }

void report_out_of_bounds(const char* array, std::int64_t index, std::int64_t extent) {
  throw Finding(fmt::format("{}: index {} of shared array {} is outside [0, {})", this_worker().describe_position(),
                            index, array, extent));
}

void* checked_shared_memory(const void* site, const ArrayShape& shape, std::size_t bytes) {
  this_worker().cover_with_shadow();
  return this_worker().shared_memory(site, bytes, shape);
}
void* checked_dynamic_shared_memory() {
  this_worker().cover_with_shadow();
  return this_worker().dynamic_shared_memory();
}
Shadow& current_shadow() { return this_worker().shadow(); }

void report_race(const SharedElement& element, Access now, Access before, unsigned other) {
  throw Finding(this_worker().describe_race(element, now, before, other));
}
void report_uninitialized(const SharedElement& element) {
  throw Finding(fmt::format("{}: {} is read before any thread has written it", this_worker().describe_position(),
                            this_worker().describe_element(element)));
}

void report_misaligned(const char* array, std::int64_t index, std::size_t bytes) {
  throw Finding(fmt::format("{}: an access of {} bytes at index {} of shared array {} is not aligned to its size",
                            this_worker().describe_position(), bytes, index, array));
}

}  // namespace narrowgate::simt
