// The long form of random_cases_test.cpp: all schemes, shapes and distributions, more than a hundred cases a scheme.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/selftest/random_cases.h"

namespace narrowgate::selftest {
namespace {

TEST(FalseAlarms, NoneInTenThousandRandomCases) {
  const FalseAlarms found = count_false_alarms(10'000, 2'000'000);
  EXPECT_EQ(found.cases, 10'000);
  EXPECT_THAT(found.failures, testing::IsEmpty());
  for (std::size_t gate = 0; gate < kGateCount; ++gate) {
    RecordProperty(std::string(gate_columns()[gate].name), std::to_string(found.failed[gate]));
  }
}

}  // namespace
}  // namespace narrowgate::selftest
