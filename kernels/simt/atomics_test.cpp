// Atomics on global memory from blocks that run in parallel, and on shared memory.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/simt/device_words.h"

namespace narrowgate {
namespace {

struct Cells {
  int sum = 0;
  unsigned count = 0;
  float halves = 0.0f;
  int highest = -100;
  int lowest = 100;
  unsigned highest_unsigned = 5;
  unsigned lowest_unsigned = 0xffffffffu;
  unsigned owner = 0;
};

__global__ void accumulate(Cells* cells, unsigned* tickets) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = static_cast<int>(id) - 2000;
  atomicAdd(&cells->sum, value);
  tickets[id] = atomicAdd(&cells->count, 1u);
  atomicAdd(&cells->halves, 0.5f);
  atomicMax(&cells->highest, value);
  atomicMin(&cells->lowest, value);
  atomicMax(&cells->highest_unsigned, id);
  atomicMin(&cells->lowest_unsigned, id + 0x80000000u);
  atomicCAS(&cells->owner, 0u, id + 1);
}

TEST(Atomics, NothingIsLostAmongManyBlocks) {
  Cells cells;
  std::vector<unsigned> tickets(64 * 64);
  launch({"accumulate", {64}, {64}}, nullptr, accumulate, &cells, tickets.data());
  EXPECT_EQ(cells.sum, 194'560);  // 4095·4096/2 − 2000·4096
  EXPECT_EQ(cells.count, 4096u);
  EXPECT_EQ(cells.halves, 2048.0f);
  EXPECT_EQ(cells.highest, 2095);
  EXPECT_EQ(cells.lowest, -2000);
  EXPECT_EQ(cells.highest_unsigned, 4095u);
  EXPECT_EQ(cells.lowest_unsigned, 0x80000000u);
  EXPECT_GE(cells.owner, 1u);
  EXPECT_EQ(std::set<unsigned>(tickets.begin(), tickets.end()).size(), 4096u);  // each old value once
}

__global__ void count_shared(int* out) {
  NARROWGATE_SHARED(int, bins, [4]);
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 10);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x];
}

TEST(Atomics, WorkOnElementsOfSharedArrays) {
  std::vector<int> out(4);
  launch({"count_shared", {1}, {64}}, nullptr, count_shared, out.data());
  EXPECT_EQ(out, (std::vector<int>{160, 160, 160, 160}));
}

TEST(Atomics, CompareAndSwapStoresOnlyOverTheExpectedValue) {
  unsigned cell = 7;
  EXPECT_EQ(atomicCAS(&cell, 6u, 9u), 7u);
  EXPECT_EQ(cell, 7u);
  EXPECT_EQ(atomicCAS(&cell, 7u, 9u), 7u);
  EXPECT_EQ(cell, 9u);
}

}  // namespace
}  // namespace narrowgate
