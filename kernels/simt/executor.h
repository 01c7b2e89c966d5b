// Executes the source of a CUDA kernel on the host: every thread of a block is a fiber that runs until a barrier or a
// collective of its warp.
//
// Blocks run in parallel on all cores; the threads of one block take turns on one core, so shared memory needs no
// locks. Between two barriers the threads run in ascending order, or in an order shuffled by a seed: a correct kernel
// gives the same bits in any order, one with a missing barrier does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>

#include "kernels/simt/warp_table.h"

namespace narrowgate::simt {

struct Dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

inline constexpr std::size_t kSharedBytes = 228 * 1024;  // the most shared memory any supported device gives a block

struct LaunchShape {
  std::string_view kernel;  // for findings
  Dim3 grid;
  Dim3 block;
  std::size_t dynamic_shared_bytes = 0;
};

// What went wrong inside a kernel: out-of-bounds shared access, divergence at a barrier or within a warp. Names kernel,
// block, thread, barrier.
class Finding : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs the launch to its end. `thread_body` is the kernel with its arguments, called once for each thread.
// Throws the first Finding, or whatever the kernel threw.
void execute(const LaunchShape& launch, const std::function<void()>& thread_body);

// While it lives, threads between barriers run in an order drawn from `seed`; 0 means ascending.
// Of a launch with more than kSampledBlocks blocks only that many, spread over the grid, are run under a shuffled
// order: a race shows in any of them, and a second full run would double the time of every large case.
class ScopedThreadOrder {
 public:
  static constexpr std::uint64_t kSampledBlocks = 256;

  explicit ScopedThreadOrder(std::uint64_t seed);
  ~ScopedThreadOrder();
  ScopedThreadOrder(const ScopedThreadOrder&) = delete;
  ScopedThreadOrder& operator=(const ScopedThreadOrder&) = delete;

 private:
  std::uint64_t previous_;
};

// What the running thread sees; valid only inside a kernel.
struct ThreadContext {
  Dim3 thread;
  Dim3 block;
  Dim3 block_size;
  Dim3 grid_size;
  unsigned index = 0;  // within the block: 32 in a row are a warp
};
inline constinit thread_local const ThreadContext* current_context = nullptr;
inline const ThreadContext& current_thread() { return *current_context; }

// __syncthreads()
void barrier();

// Waits until every thread of the running warp that `mask` names and that exists has come to the same collective.
// `brought` is the lane's own, may lie on its stack, and is where `collective` leaves the lane's result.
void join_warp(const Collective& collective, std::uint32_t mask, void* brought);
inline unsigned current_lane() { return current_thread().index % kWarpSize; }
// A Finding unless the mask names the lane, and the lane exists.
void check_source_lane(const Collective& collective, std::uint32_t mask, unsigned lane);

// The block's array for one __shared__ declaration (identified by `site`), poisoned when the block starts.
void* shared_memory(const void* site, std::size_t bytes);
void* dynamic_shared_memory();
std::size_t dynamic_shared_bytes();

[[noreturn]] void report_out_of_bounds(const char* array, std::int64_t index, std::int64_t extent);
[[noreturn]] void report_misaligned(const char* array, std::int64_t index, std::size_t bytes);

}  // namespace narrowgate::simt
