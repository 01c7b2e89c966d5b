// What the libraries refuse is refused in words, before they are called.
#include "kernels/int8/library_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgate::int8 {
namespace {

using testing::HasSubstr;

TEST(LibraryLimits, NAndKAreMultiplesOfFourAndMIsFree) {
  EXPECT_FALSE(refuses_quads({1, 4, 8}));
  EXPECT_FALSE(refuses_quads({33, 64, 128}));
  EXPECT_THAT(refuses_quads({4, 65, 128}).value(), HasSubstr("multiples of 4; here they are 65 and 128"));
  EXPECT_THAT(refuses_quads({4, 64, 129}).value(), HasSubstr("here they are 64 and 129"));
}

TEST(LibraryLimits, RowsBeginAtMultiplesOfFourBytes) {
  alignas(16) const std::int8_t codes[64] = {};
  EXPECT_FALSE(refuses_alignment("A", {codes, 2, 8, 8}));
  EXPECT_FALSE(refuses_alignment("A", {codes + 4, 2, 8, 12}));
  EXPECT_THAT(refuses_alignment("A", {codes, 2, 8, 15}).value(), HasSubstr("those of A are 15 bytes apart"));
  EXPECT_TRUE(refuses_alignment("B", {codes + 3, 2, 8, 8}));
}

}  // namespace
}  // namespace narrowgate::int8
