// Gates that decide are silent on correct kernels, whatever the case. random_cases_many.cpp draws 10,000.
#include "suites/selftest/random_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgate::selftest {
namespace {

TEST(FalseAlarms, NoneInThreeHundredRandomCases) {
  const FalseAlarms found = count_false_alarms(300, 1'000'000);
  EXPECT_EQ(found.cases, 300);
  EXPECT_THAT(found.failures, testing::IsEmpty());
  for (std::size_t gate = 0; gate < kGateCount; ++gate) {
    if (!gate_columns()[gate].decides) continue;
    EXPECT_EQ(found.failed[gate], 0) << gate_columns()[gate].name;
  }
}

// What people use does fail correct kernels on such data; a count of none would mean that it is not asked.
TEST(FalseAlarms, OfConventionalGatesAreCounted) {
  const FalseAlarms found = count_false_alarms(94, 1);
  EXPECT_GT(found.failed[kOwnGateCount], 0);
  EXPECT_LE(found.failed[kOwnGateCount], found.cases);
}

TEST(FalseAlarms, DependOnTheSeedAlone) {
  const FalseAlarms once = count_false_alarms(20, 5), again = count_false_alarms(20, 5);
  EXPECT_EQ(once.failed, again.failed);
  EXPECT_EQ(once.refused, again.refused);
}

}  // namespace
}  // namespace narrowgate::selftest
