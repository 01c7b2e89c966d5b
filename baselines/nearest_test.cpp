// Suggestions must be right or absent: a far-fetched one is worse than none.
#include "baselines/nearest.h"

#include <gtest/gtest.h>

namespace narrowgate {
namespace {

TEST(EditDistance, Literals) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("digest", "diegst"), 1u);  // one swap
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);         // a swapped pair is not edited again
}

TEST(NearestName, FindsTheMisspelt) {
  const std::vector<std::string> known{"digest", "max_abs_err", "mean_abs_err"};
  EXPECT_EQ(nearest_name("diegst", known), "digest");
  EXPECT_EQ(nearest_name("max_abs_er", known), "max_abs_err");
  EXPECT_EQ(nearest_name("mean_err", known), std::nullopt);
  EXPECT_EQ(nearest_name("time", known), std::nullopt);
  EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

TEST(NearestName, OfEqualsTheFirst) { EXPECT_EQ(nearest_name("int9", {"int8", "int4"}), "int8"); }

TEST(NearestName, LongTextsAreNotCompared) {
  EXPECT_EQ(nearest_name(std::string(10240, 'a'), {std::string(10240, 'a')}), std::nullopt);
}

TEST(DidYouMean, IsAWholeSentenceOrNothing) {
  EXPECT_EQ(did_you_mean("smok", {"smoke"}), " Did you mean \"smoke\"?");
  EXPECT_EQ(did_you_mean("zzz", {"smoke"}), "");
}

}  // namespace
}  // namespace narrowgate
