// Checked mode on a tiled product with one line wrong: a bug is named where it happens, not seen in the output alone.
#define NARROWGATE_SIMT_CHECKED

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/simt/device_words.h"

namespace narrowgate {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int kTile = 8;
constexpr int kWide = 2 * kTile;  // of B's tile: a step takes 8 k, a block 8 rows and 16 columns of C

enum class Bug { kNone, kNoFirstBarrier, kNoSecondBarrier, kSharedIndexSwapped, kTailTooShort, kTailNotFilled };

// A[rows×depth] · B[depth×16], all ones but where a bug looks.
struct Product {
  const float* a;
  const float* b;
  float* c;
  int rows, depth;
};

template <Bug kBug>
__global__ void multiply(Product p) {
  NARROWGATE_SHARED(float, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(float, b_tile, [kTile][kWide]);
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.x) * kTile + ty;
  const int end = kBug == Bug::kTailTooShort ? p.depth - 1 : p.depth;
  float acc = 0.0f;
  for (int k0 = 0; k0 < end; k0 += kTile) {
    const int k_of_a = k0 + tx, k_of_b = k0 + ty;
    const bool fills_tail = kBug != Bug::kTailNotFilled;
    if (tx < kTile && (fills_tail || k_of_a < end)) {
      a_tile[ty][tx] = row < p.rows && k_of_a < end ? p.a[row * p.depth + k_of_a] : 0.0f;
    }
    if (fills_tail || k_of_b < end) b_tile[ty][tx] = k_of_b < end ? p.b[k_of_b * kWide + tx] : 0.0f;
    if constexpr (kBug != Bug::kNoFirstBarrier) __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      acc = __fmaf_rn(a_tile[ty][k], kBug == Bug::kSharedIndexSwapped ? b_tile[tx][k] : b_tile[k][tx], acc);
    }
    if constexpr (kBug != Bug::kNoSecondBarrier) __syncthreads();
  }
  if (row < p.rows) p.c[row * kWide + tx] = acc;
}

template <Bug kBug>
std::vector<float> product(int rows, int depth) {
  const std::vector<float> a(static_cast<std::size_t>(rows * depth), 1.0f);
  const std::vector<float> b(static_cast<std::size_t>(depth * kWide), 1.0f);
  std::vector<float> c(static_cast<std::size_t>(rows * kWide));
  launch({"planted", {static_cast<unsigned>((rows + kTile - 1) / kTile)}, {kWide, kTile}}, nullptr, multiply<kBug>,
         Product{a.data(), b.data(), c.data(), rows, depth});
  return c;
}

template <Bug kBug>
void expect_finding(int depth, const testing::Matcher<std::string>& text) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt::ScopedThreadOrder order(seed);
    EXPECT_THAT([&] { product<kBug>(11, depth); }, ThrowsMessage<simt::Finding>(AllOf(HasSubstr("planted: "), text)));
  }
}

TEST(PlantedBugs, WithoutOneThereIsNoFindingInAnyOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt::ScopedThreadOrder order(seed);
    for (const float c : product<Bug::kNone>(11, 21)) ASSERT_EQ(c, 21.0f);
  }
}

// A tile that is read before the barrier is either still empty or what another thread has just written.
TEST(PlantedBugs, AMissingFirstBarrierIsNamed) {
  const auto race = AllOf(HasSubstr("race in block ("), HasSubstr("after barrier 0: thread ("), HasSubstr("_tile["),
                          HasSubstr(", which thread ("), HasSubstr("with no barrier between"));
  expect_finding<Bug::kNoFirstBarrier>(8, AnyOf(race, HasSubstr("is read before any thread has written it")));
}

TEST(PlantedBugs, AMissingSecondBarrierIsARaceOfAReadAndAWrite) {
  expect_finding<Bug::kNoSecondBarrier>(
      16, AllOf(HasSubstr("race in block ("), HasSubstr("after barrier 1: thread ("), HasSubstr("_tile["),
                AnyOf(HasSubstr(") writes "), HasSubstr(") reads ")),
                AnyOf(HasSubstr(") has read"), HasSubstr(") has written"))));
}

TEST(PlantedBugs, ASwappedSharedIndexIsOutOfBounds) {
  expect_finding<Bug::kSharedIndexSwapped>(8, HasSubstr("of shared array b_tile is outside [0, 8)"));
}

TEST(PlantedBugs, ATailThatEndsTooSoonIsAWrongAnswer) {
  for (const float c : product<Bug::kTailTooShort>(11, 21)) EXPECT_EQ(c, 20.0f);
}

TEST(PlantedBugs, ATailThatIsNotFilledIsAReadOfWhatNobodyWrote) {
  expect_finding<Bug::kTailNotFilled>(5, AllOf(HasSubstr("after barrier 1"), HasSubstr("_tile["), HasSubstr("[5]"),
                                               HasSubstr("is read before any thread has written it")));
}

}  // namespace
}  // namespace narrowgate
