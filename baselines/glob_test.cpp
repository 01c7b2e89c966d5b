// Globs over ids: `*` crosses slashes, everything but `*` and `?` is literal.
#include "baselines/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace narrowgate {
namespace {

TEST(Glob, MatchesTheWholeText) {
  EXPECT_TRUE(glob_match("int8.column", "int8.column"));
  EXPECT_FALSE(glob_match("int8", "int8.column"));
  EXPECT_FALSE(glob_match("int8.column", "int8"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(Glob, StarIsAnyRun) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("int8.*", "int8.column/cuda.dp4a/1x2x3/day98/s1"));
  EXPECT_TRUE(glob_match("*/cuda.*/*x64x*", "fp32.chain/cuda.tiled/1x64x3/normal/s1"));
  EXPECT_TRUE(glob_match("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(glob_match("a**", "a"));
  EXPECT_FALSE(glob_match("a*b", "ab_"));
}

TEST(Glob, QuestionMarkIsExactlyOne) {
  EXPECT_TRUE(glob_match("int?", "int8"));
  EXPECT_FALSE(glob_match("int?", "int"));
  EXPECT_FALSE(glob_match("int?", "int16"));
}

TEST(Glob, NothingElseIsSpecial) {
  EXPECT_TRUE(glob_match("[a]+.\\", "[a]+.\\"));
  EXPECT_FALSE(glob_match("[a]", "a"));
  EXPECT_FALSE(glob_match("a.c", "abc"));
}

TEST(Glob, ManyStarsStayFast) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(10000, 'a')));
}

}  // namespace
}  // namespace narrowgate
