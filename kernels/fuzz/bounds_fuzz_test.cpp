// No scheme's answer exceeds its own bound, and the bound is not idle: see also the tool bounds_fuzz.
#include "kernels/fuzz/bounds_fuzz.h"

#include <gtest/gtest.h>
#include <omp.h>

namespace narrowgate::fuzz {
namespace {

class BoundsFuzzTest : public testing::TestWithParam<const Scheme*> {};

TEST_P(BoundsFuzzTest, TheAnswerStaysWithinTheBound) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);  // the matrices are tiny
  const BoundsResult result = fuzz_bounds(*GetParam(), 150, 1);
  omp_set_num_threads(threads);
  EXPECT_EQ(result.cases, 150);
  EXPECT_EQ(result.exceeded, 0) << "worst: " << result.largest_fraction << " with seed " << result.worst_seed;
  EXPECT_GT(result.largest_fraction, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Registry, BoundsFuzzTest, testing::ValuesIn(all_schemes().begin(), all_schemes().end()),
                         [](const auto& instance) {
                           std::string name(instance.param->id);
                           for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
                           return name;
                         });

}  // namespace
}  // namespace narrowgate::fuzz
