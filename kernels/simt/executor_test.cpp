// The SIMT executor: indices, barriers, shared memory, and the faults it must name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/simt/device_words.h"

namespace narrowgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Throws;
using testing::ThrowsMessage;

__global__ void write_indices(unsigned* out) {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1 + thread + 1000 * block;
}

TEST(Executor, EveryThreadOfEveryBlockRunsOnceWithItsIndices) {
  std::vector<unsigned> out(3 * 2 * 2 * 24);
  launch({"write_indices", {3, 2, 2}, {4, 3, 2}}, nullptr, write_indices, out.data());
  for (unsigned block = 0; block < 12; ++block) {
    for (unsigned thread = 0; thread < 24; ++thread) ASSERT_EQ(out[block * 24 + thread], 1 + thread + 1000 * block);
  }
}

__global__ void reverse(int* out) {
  NARROWGATE_SHARED(int, values, [64]);
  values[threadIdx.x] = static_cast<int>(threadIdx.x + 100 * blockIdx.x);
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];
}

TEST(Executor, ABarrierMakesSharedMemoryVisibleInAnyThreadOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt::ScopedThreadOrder order(seed);
    std::vector<int> out(2 * 64);
    launch({"reverse", {2}, {64}}, nullptr, reverse, out.data());
    EXPECT_EQ(out[0], 63);
    EXPECT_EQ(out[63], 0);
    EXPECT_EQ(out[64], 163);
  }
}

__global__ void reverse_without_barrier(int* out) {
  NARROWGATE_SHARED(int, values, [64]);
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = values[63 - threadIdx.x];
}

TEST(Executor, AMissingBarrierChangesTheResultWithTheThreadOrder) {
  std::vector<int> ascending(64), shuffled(64);
  launch({"race", {1}, {64}}, nullptr, reverse_without_barrier, ascending.data());
  const simt::ScopedThreadOrder order(7);
  launch({"race", {1}, {64}}, nullptr, reverse_without_barrier, shuffled.data());
  EXPECT_NE(ascending, shuffled);
}

__global__ void read_uninitialized(float* out) {
  NARROWGATE_SHARED(float, values, [8]);
  out[blockIdx.x * 8 + threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = 1.0f;
}

TEST(Executor, SharedMemoryIsPoisonedForEachBlock) {
  std::vector<float> out(4 * 8);
  launch({"uninitialized", {4}, {8}}, nullptr, read_uninitialized, out.data());
  for (const float value : out) EXPECT_TRUE(std::isnan(value));
}

__global__ void divergent_barrier(int) {
  if (threadIdx.x < 3) __syncthreads();
}

TEST(Executor, BarrierDivergenceIsAFindingThatNamesTheThreads) {
  EXPECT_THAT([] { launch({"divergent", {2}, {8}}, nullptr, divergent_barrier, 0); },
              ThrowsMessage<simt::Finding>(AllOf(HasSubstr("divergent: barrier divergence in block"),
                                                 HasSubstr("3 of 8 threads wait at barrier 1"),
                                                 HasSubstr("thread (3, 0, 0) has returned"))));
}

__global__ void write_out_of_bounds(int column) {
  NARROWGATE_SHARED(int, tile, [4][5]);
  tile[3][threadIdx.x + static_cast<unsigned>(column)] = 1;
}

TEST(Executor, AnIndexOutsideASharedArrayIsAFindingThatNamesArrayAndThread) {
  EXPECT_NO_THROW(launch({"bounds", {1}, {5}}, nullptr, write_out_of_bounds, 0));
  EXPECT_THAT([] { launch({"bounds", {1}, {5}}, nullptr, write_out_of_bounds, 1); },
              ThrowsMessage<simt::Finding>(AllOf(HasSubstr("bounds: block (0, 0, 0), thread (4, 0, 0)"),
                                                 HasSubstr("index 5 of shared array tile is outside [0, 5)"))));
}

__global__ void sum_dynamic(int* out) {
  NARROWGATE_DYNAMIC_SHARED(int, values);
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < blockDim.x; ++i) out[0] += values[i];
    if (out[1] != 0) values[blockDim.x] = 0;
  }
}

TEST(Executor, DynamicSharedMemoryHasTheLaunchsExtent) {
  std::vector<int> out(2);
  launch({"dynamic", {1}, {16}, 64}, nullptr, sum_dynamic, out.data());
  EXPECT_EQ(out[0], 120);
  out[1] = 1;
  EXPECT_THAT([&] { launch({"dynamic", {1}, {16}, 64}, nullptr, sum_dynamic, out.data()); },
              ThrowsMessage<simt::Finding>(HasSubstr("index 16 of shared array values is outside [0, 16)")));
}

__global__ void throws(int) {
  __syncthreads();
  if (threadIdx.x == 1) throw std::runtime_error("from inside");
  __syncthreads();
}

TEST(Executor, AnExceptionFromAKernelReachesTheCallerAndLeavesTheExecutorUsable) {
  EXPECT_THAT([] { launch({"throws", {8}, {32}}, nullptr, throws, 0); }, ThrowsMessage<std::runtime_error>("from inside"));
  std::vector<int> out(2 * 64);
  launch({"reverse", {2}, {64}}, nullptr, reverse, out.data());
  EXPECT_EQ(out[0], 63);
}

}  // namespace
}  // namespace narrowgate
