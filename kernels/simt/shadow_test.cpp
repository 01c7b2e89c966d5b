// Checked mode, word by word: which pairs of accesses are races, which are not, and how a finding names them.
#define NARROWGATE_SIMT_CHECKED

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/simt/device_words.h"

namespace narrowgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Runs the kernel by 2 blocks of 64 threads, two warps each, in ascending order of threads.
template <class... Parameters, class... Arguments>
void run(void (*kernel)(Parameters...), Arguments... arguments) {
  launch({"checked", {2}, {64}, 64}, nullptr, kernel, arguments...);
}

template <class Kernel>
void expect_finding(Kernel kernel, int parameter, const testing::Matcher<std::string>& text) {
  EXPECT_THAT([&] { run(kernel, parameter); }, ThrowsMessage<simt::Finding>(AllOf(HasSubstr("checked: "), text)));
}

__global__ void two_threads(int second) {
  NARROWGATE_SHARED(int, tile, [3][4]);
  if (threadIdx.x == 0) tile[2][1] = 5;
  __syncthreads();
  if (threadIdx.x == 1) tile[2][1] = 6;
  if (static_cast<int>(threadIdx.x) == second) tile[2][1] = 7;
}

TEST(Shadow, TwoWritesByOneThreadOrWithABarrierBetweenAreFine) { EXPECT_NO_THROW(run(two_threads, 1)); }

TEST(Shadow, TwoWritesByTwoThreadsAreARaceThatNamesEverything) {
  expect_finding(two_threads, 40,
                 AllOf(HasSubstr("race in block ("),
                       HasSubstr(", 0, 0) after barrier 1: thread (40, 0, 0) writes tile[2][1]"),
                       HasSubstr("which thread (1, 0, 0) has written with no barrier between")));
}

__global__ void read_after(int reader) {
  NARROWGATE_SHARED(float, values, [8]);
  if (threadIdx.x == 3) values[7] = 1.0f;
  if (static_cast<int>(threadIdx.x) == reader) { [[maybe_unused]] const float value = values[7]; }
}

TEST(Shadow, AReadNeedsABarrierAfterAnothersWrite) {
  EXPECT_NO_THROW(run(read_after, 3));
  expect_finding(read_after, 4, HasSubstr("thread (4, 0, 0) reads values[7], which thread (3, 0, 0) has written"));
  expect_finding(read_after, 63, HasSubstr("thread (63, 0, 0) reads values[7], which thread (3, 0, 0) has written"));
  expect_finding(read_after, 2, HasSubstr("thread (2, 0, 0), after barrier 0: values[7] is read before any thread"));
}

// All read, then one writes: of whichever warp it is, there are readers that it must not overtake.
__global__ void write_after(int writer) {
  NARROWGATE_SHARED(int, value, [1]);
  if (threadIdx.x == 0) value[0] = 1;
  __syncthreads();
  [[maybe_unused]] const int seen = value[0];
  __syncwarp();
  if (static_cast<int>(threadIdx.x) == writer) value[0] = 2;
}

TEST(Shadow, AWriteNeedsABarrierAfterTheReadsOfOtherWarps) {
  EXPECT_NO_THROW(run(write_after, -1));
  expect_finding(write_after, 40, HasSubstr("thread (40, 0, 0) writes value[0], which thread"));
  expect_finding(write_after, 5, HasSubstr("value[0], which thread"));
}

__global__ void exchange_in_warp(int synchronizes) {
  NARROWGATE_SHARED(int, values, [64]);
  values[threadIdx.x] = 1;
  if (synchronizes != 0) __syncwarp();
  [[maybe_unused]] const int seen = values[threadIdx.x ^ 1];
}

TEST(Shadow, AWarpCollectiveOrdersTheThreadsOfOneWarp) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const simt::ScopedThreadOrder order(seed);
    EXPECT_NO_THROW(run(exchange_in_warp, 1));
  }
  expect_finding(exchange_in_warp, 0, HasSubstr("values["));
}

__global__ void exchange_between_warps(int) {
  NARROWGATE_SHARED(int, values, [64]);
  values[threadIdx.x] = 1;
  __syncwarp();
  [[maybe_unused]] const int seen = values[threadIdx.x ^ 32];
}

TEST(Shadow, AWarpCollectiveDoesNotOrderThreadsOfTwoWarps) {
  expect_finding(exchange_between_warps, 0, HasSubstr("values["));
}

__global__ void second_block_reads(int) {
  NARROWGATE_SHARED(int, values, [2]);
  if (threadIdx.x == 0 && blockIdx.x == 0) values[0] = 1;
  __syncthreads();
  if (threadIdx.x == 9) { [[maybe_unused]] const int seen = values[0]; }
}

TEST(Shadow, EachBlockBeginsWithNothingWritten) {
  expect_finding(second_block_reads, 0,
                 HasSubstr("block (1, 0, 0), thread (9, 0, 0), after barrier 1: values[0] is read before any thread"));
}

__global__ void dynamic_types(int index) {
  NARROWGATE_DYNAMIC_SHARED(int, words);
  NARROWGATE_DYNAMIC_SHARED(std::int8_t, bytes);
  if (threadIdx.x == 0) words[2] = 0x04030201;
  __syncthreads();
  if (threadIdx.x == 1 && bytes[index] != 3) throw std::runtime_error("not the third byte");
}

TEST(Shadow, DynamicMemoryIsKnownByItsBytes) {
  EXPECT_NO_THROW(run(dynamic_types, 10));
  expect_finding(dynamic_types, 12, HasSubstr("bytes[12] is read before any thread has written it"));
}

struct alignas(8) Pair {
  float x, y;
};

__global__ void vectors(int reader) {
  NARROWGATE_SHARED(float, row, [2][8]);
  if (threadIdx.x == 0) store_vector(row[1], 2, Pair{1, 2});
  if (static_cast<int>(threadIdx.x) == reader) load_vector<Pair>(row[1], 2);
  if (reader == 0 && threadIdx.x == 0) load_vector<Pair>(row[1], 4);
}

TEST(Shadow, AVectorAccessIsOneOfEachElement) {
  expect_finding(vectors, 40, HasSubstr("thread (40, 0, 0) reads row[1][2], which thread (0, 0, 0) has written"));
  expect_finding(vectors, 0, HasSubstr("row[1][4] is read before any thread has written it"));
}

__global__ void atomics(int reader) {
  NARROWGATE_SHARED(int, bins, [2]);
  if (threadIdx.x < 2) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[1], 1);
  if (static_cast<int>(threadIdx.x) == reader) { [[maybe_unused]] const int seen = bins[1]; }
  __syncthreads();
  if (bins[1] != 64) throw std::runtime_error("lost");
}

TEST(Shadow, AtomicsDoNotRaceWithEachOtherButWithPlainAccesses) {
  EXPECT_NO_THROW(run(atomics, -1));
  expect_finding(atomics, 40, HasSubstr("bins[1], which thread"));
}

__global__ void arithmetic(int* out) {
  NARROWGATE_SHARED(int, words, [64]);
  NARROWGATE_SHARED(std::int8_t, codes, [64]);
  const unsigned at = threadIdx.x;
  words[at] = 3;
  words[at] += 4;
  words[at] *= 2;
  ++words[at];
  codes[at] = static_cast<std::int8_t>(-2);
  out[blockIdx.x * 64 + at] = words[at] * codes[at] + (words[at] > 0 ? words[at] : 0);
}

TEST(Shadow, ElementsBehaveAsTheirValues) {
  std::vector<int> out(128);
  run(arithmetic, out.data());
  EXPECT_EQ(out[0], -15);
  EXPECT_EQ(out[127], -15);
}

}  // namespace
}  // namespace narrowgate
