// Warp collectives: what each lane gets, in any order of threads, and the faults that must be named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/simt/device_words.h"

namespace narrowgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr unsigned kAllLanes = 0xffffffffu;

// Words of one lane, as the tests want to see them.
struct Seen {
  int from_lane_3, swapped, two_up, two_down;
  unsigned ballot;
  int any, all;
};

__global__ void collect(Seen* out) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int value = 100 + lane;
  Seen seen{};
  seen.from_lane_3 = __shfl_sync(kAllLanes, value, 35);  // modulo 32
  seen.swapped = __shfl_xor_sync(kAllLanes, value, 1);
  seen.two_up = __shfl_up_sync(kAllLanes, value, 2);
  seen.two_down = __shfl_down_sync(kAllLanes, value, 2);
  seen.ballot = __ballot_sync(kAllLanes, lane % 4 == 0);
  seen.any = __any_sync(kAllLanes, lane == 31);
  seen.all = __all_sync(kAllLanes, lane != 31);
  out[threadIdx.x] = seen;
}

TEST(Warp, ShufflesAndVotesGiveEachLaneItsWord) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const simt::ScopedThreadOrder order(seed);
    std::vector<Seen> out(96);
    launch({"collect", {1}, {96}}, nullptr, collect, out.data());
    for (std::size_t warp = 0; warp < 3; ++warp) {
      const Seen& first = out[warp * 32];
      EXPECT_EQ(first.from_lane_3, 103);
      EXPECT_EQ(first.swapped, 101);
      EXPECT_EQ(first.two_up, 100);  // there is no lane −2: its own
      EXPECT_EQ(first.two_down, 102);
      EXPECT_EQ(first.ballot, 0x11111111u);
      EXPECT_EQ(first.any, 1);
      EXPECT_EQ(first.all, 0);
      const Seen& last = out[warp * 32 + 31];
      EXPECT_EQ(last.from_lane_3, 103);
      EXPECT_EQ(last.swapped, 130);
      EXPECT_EQ(last.two_up, 129);
      EXPECT_EQ(last.two_down, 131);
    }
  }
}

__global__ void shuffle_types(float* floats, unsigned* words) {
  const unsigned lane = threadIdx.x;
  floats[lane] = __shfl_xor_sync(kAllLanes, static_cast<float>(lane) + 0.5f, 31);
  words[lane] = __shfl_xor_sync(kAllLanes, 0xfffffff0u + lane % 8, 7);
}

TEST(Warp, FloatsAndUnsignedWordsKeepTheirBits) {
  std::vector<float> floats(32);
  std::vector<unsigned> words(32);
  launch({"types", {1}, {32}}, nullptr, shuffle_types, floats.data(), words.data());
  EXPECT_EQ(floats[0], 31.5f);
  EXPECT_EQ(floats[31], 0.5f);
  EXPECT_EQ(words[0], 0xfffffff7u);
}

// 4 warps in a block of 16×8; the xor tree gives every lane the warp's sum.
__global__ void reduce(int* out) {
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  int sum = static_cast<int>(thread);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
  __syncthreads();
  out[blockIdx.x * 128 + thread] = sum;
}

TEST(Warp, AReductionIsTheSameInAnyOrderOfThreads) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
    const simt::ScopedThreadOrder order(seed);
    std::vector<int> out(3 * 128);
    launch({"reduce", {3}, {16, 8}}, nullptr, reduce, out.data());
    for (std::size_t block = 0; block < 3; ++block) {
      EXPECT_EQ(out[block * 128], 496);
      EXPECT_EQ(out[block * 128 + 31], 496);
      EXPECT_EQ(out[block * 128 + 32], 1520);
      EXPECT_EQ(out[block * 128 + 127], 3568);
    }
  }
}

__global__ void exchange(int* out) {
  NARROWGATE_SHARED(int, values, [32]);
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = values[31 - threadIdx.x];
}

TEST(Warp, SyncwarpMakesSharedMemoryVisibleInAnyThreadOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt::ScopedThreadOrder order(seed);
    std::vector<int> out(32);
    launch({"exchange", {1}, {32}}, nullptr, exchange, out.data());
    EXPECT_EQ(out[0], 31);
    EXPECT_EQ(out[31], 0);
  }
}

__global__ void halves(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  if (lane < 16) __syncwarp(mask);
  out[lane] = __shfl_xor_sync(mask, lane, 8);
}

TEST(Warp, LanesOfDifferentMasksDoNotWaitForEachOther) {
  std::vector<int> out(32);
  launch({"halves", {1}, {32}}, nullptr, halves, out.data());
  EXPECT_EQ(out[0], 8);
  EXPECT_EQ(out[16], 24);
}

__global__ void short_warp(unsigned* out) { out[threadIdx.x] = __ballot_sync(kAllLanes, 1); }

TEST(Warp, OfAShortWarpOnlyTheLanesThatExistMustCome) {
  std::vector<unsigned> out(40);
  launch({"short", {1}, {40}}, nullptr, short_warp, out.data());
  EXPECT_EQ(out[0], 0xffffffffu);
  EXPECT_EQ(out[39], 0xffu);
}

enum class Fault { kReturned, kAtBarrier, kOtherCollective, kOtherMask, kSourceOutside, kSourceAbsent, kSelfOutside };

__global__ void diverge(Fault fault) {
  const int lane = static_cast<int>(threadIdx.x) - 32;
  if (lane < 0) return;
  switch (fault) {
    case Fault::kReturned:
      if (lane != 5) __syncwarp();
      break;
    case Fault::kAtBarrier:
      if (lane == 5) __syncthreads();
      else __shfl_xor_sync(kAllLanes, 1, 1);
      break;
    case Fault::kOtherCollective:
      if (lane == 5) __ballot_sync(kAllLanes, 1);
      else __shfl_down_sync(kAllLanes, 1.0f, 1u);
      break;
    case Fault::kOtherMask:
      __any_sync(lane == 5 ? 0x3fu : kAllLanes, 1);
      break;
    case Fault::kSourceOutside:
      if (lane < 16) __shfl_sync(0x0000ffffu, 1, 20);
      break;
    case Fault::kSourceAbsent:
      __shfl_sync(kAllLanes, 1, 12);
      break;
    case Fault::kSelfOutside:
      __syncwarp(0x0000000fu);
      break;
  }
}

void expect_finding(Fault fault, unsigned threads, const testing::Matcher<std::string>& text) {
  EXPECT_THAT([&] { launch({"diverge", {2}, {threads}}, nullptr, diverge, fault); },
              ThrowsMessage<simt::Finding>(AllOf(HasSubstr("diverge:"), HasSubstr("block ("), text)));
}

TEST(Warp, ALaneThatNeverComesIsAFindingThatNamesItAndTheCollective) {
  expect_finding(Fault::kReturned, 64,
                 AllOf(HasSubstr("warp divergence in block"),
                       HasSubstr("thread (32, 0, 0) waits in __syncwarp with mask 0xffffffff"),
                       HasSubstr("while thread (37, 0, 0), lane 5 of warp 1, has returned")));
  expect_finding(Fault::kAtBarrier, 64,
                 AllOf(HasSubstr("waits in __shfl_xor_sync"),
                       HasSubstr("(37, 0, 0), lane 5 of warp 1, waits at barrier 1")));
  expect_finding(Fault::kOtherCollective, 64,
                 AllOf(HasSubstr("__shfl_down_sync"), HasSubstr("__ballot_sync"), HasSubstr("(37, 0, 0)")));
  expect_finding(Fault::kOtherMask, 64, AllOf(HasSubstr("__any_sync with mask 0xffffffff"),
                                              HasSubstr("waits in __any_sync with mask 0x0000003f")));
}

TEST(Warp, ALaneOutsideTheMaskIsAFinding) {
  expect_finding(Fault::kSourceOutside, 64, AllOf(HasSubstr("__shfl_sync with mask 0x0000ffff"), HasSubstr("lane 20")));
  expect_finding(Fault::kSourceAbsent, 40, AllOf(HasSubstr("__shfl_sync with mask 0xffffffff"), HasSubstr("lane 12")));
  expect_finding(Fault::kSelfOutside, 64, AllOf(HasSubstr("__syncwarp with mask 0x0000000f"), HasSubstr("lane 4"),
                                                HasSubstr("thread (36, 0, 0)")));
}

TEST(Warp, AFindingLeavesTheExecutorUsable) {
  EXPECT_THROW(launch({"diverge", {2}, {64}}, nullptr, diverge, Fault::kReturned), simt::Finding);
  std::vector<int> out(3 * 128);
  launch({"reduce", {3}, {16, 8}}, nullptr, reduce, out.data());
  EXPECT_EQ(out[0], 496);
}

}  // namespace
}  // namespace narrowgate
