// Vector accesses to shared memory: the elements they touch, and the ranges and addresses that are findings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/simt/device_words.h"

namespace narrowgate {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct alignas(16) Four {
  float x, y, z, w;
};

__global__ void shift_by_four(float* out) {
  NARROWGATE_SHARED(float, tile, [2][3][8]);
  NARROWGATE_DYNAMIC_SHARED(float, dynamic);
  store_vector(tile[1][2], 4, Four{1, 2, 3, 4});
  store_vector(dynamic, 4, load_vector<Four>(tile[1][2], 4));
  for (int i = 0; i < 4; ++i) out[i] = tile[1][2][4 + i] * 10 + dynamic[4 + i];
}

TEST(VectorAccess, MovesNeighboursAtOnce) {
  std::vector<float> out(4);
  launch({"shift", {1}, {1}, 32}, nullptr, shift_by_four, out.data());
  EXPECT_EQ(out, (std::vector<float>{11, 22, 33, 44}));
}

__global__ void read_codes(int* out) {
  NARROWGATE_SHARED(std::int8_t, codes, [2][16]);
  for (int i = 0; i < 16; ++i) codes[1][i] = static_cast<std::int8_t>(i);
  out[0] = load_vector<int>(codes[1], 4);
}

TEST(VectorAccess, AScalarMayBeMadeOfSmallerElements) {
  std::vector<int> out(1);
  launch({"codes", {1}, {1}}, nullptr, read_codes, out.data());
  EXPECT_EQ(out[0], 0x07060504);
}

__global__ void access_at(int index, bool stores) {
  NARROWGATE_SHARED(float, tile, [2][8]);
  if (stores) store_vector(tile[0], index, Four{});
  else load_vector<Four>(tile[0], index);
}

TEST(VectorAccess, ARangeThatLeavesTheRowIsAFinding) {
  for (const bool stores : {false, true}) {
    EXPECT_NO_THROW(launch({"range", {1}, {1}}, nullptr, access_at, 4, stores));
    EXPECT_THAT([&] { launch({"range", {1}, {1}}, nullptr, access_at, 8, stores); },
                ThrowsMessage<simt::Finding>(HasSubstr("index 11 of shared array tile is outside [0, 8)")));
    EXPECT_THAT([&] { launch({"range", {1}, {1}}, nullptr, access_at, -4, stores); },
                ThrowsMessage<simt::Finding>(HasSubstr("index -4 of shared array tile is outside [0, 8)")));
  }
}

TEST(VectorAccess, AnAddressThatIsNotAMultipleOfItsSizeIsAFinding) {
  EXPECT_THAT([] { launch({"aligned", {1}, {1}}, nullptr, access_at, 2, false); },
              ThrowsMessage<simt::Finding>(HasSubstr("16 bytes at index 2 of shared array tile is not aligned")));
}

__global__ void access_dynamic(int index) {
  NARROWGATE_DYNAMIC_SHARED(float, words);
  load_vector<Four>(words, index);
}

TEST(VectorAccess, DynamicSharedMemoryEndsWithTheLaunchsBytes) {
  EXPECT_NO_THROW(launch({"dynamic", {1}, {1}, 48}, nullptr, access_dynamic, 8));
  EXPECT_THAT([] { launch({"dynamic", {1}, {1}, 44}, nullptr, access_dynamic, 8); },
              ThrowsMessage<simt::Finding>(HasSubstr("index 11 of shared array words is outside [0, 11)")));
}

}  // namespace
}  // namespace narrowgate
