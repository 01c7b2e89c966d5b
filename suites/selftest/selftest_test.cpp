// What the self-test says of mutants that survive: the test of the test.
#include "suites/selftest/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace narrowgate::selftest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Mutant mutant_of_output(std::string_view name, OutputChange change) {
  return {.name = name, .kind = MutantKind::output, .what = "made for a test", .schemes = {"fp32.chain", "int8.column"},
          .change_output = std::move(change)};
}

TEST(Defects, AMutantThatChangesNothingIsOne) {
  const Mutant idle = mutant_of_output("idle", [](Matrix<float>&) { return true; });
  const auto outcomes = try_mutants({&idle});
  EXPECT_THAT(defects(outcomes, {}), ElementsAre("the mutant idle makes no difference on fp32.chain",
                                                 "the mutant idle makes no difference on int8.column"));
  EXPECT_THAT(kill_matrix(outcomes).at("idle").at("fp32.chain"), IsEmpty());
}

TEST(Defects, AMutantThatOnlyOtherGatesKillIsOne) {
  const Mutant survivor = mutant_of_output("survivor", nullptr);
  SchemeOutcome outcome{.scheme = "fp32.chain", .cases = 1, .counted = 1, .killed_by = {}};
  outcome.killed_by.set(kSigmaGate).set(kOwnGateCount);  // a diagnostic, and allclose
  EXPECT_THAT(defects({{&survivor, {outcome}}}, {}), ElementsAre("no gate kills the mutant survivor on fp32.chain"));
  outcome.killed_by.set(kDriftGate);
  EXPECT_THAT(defects({{&survivor, {outcome}}}, {}), IsEmpty());
}

TEST(Defects, AFalseAlarmIsOne) {
  FalseAlarms alarms;
  alarms.failures = {"E: int8.column/cpu.simd/1x1x1/day98/s1"};
  EXPECT_THAT(defects({}, alarms), ElementsAre("a correct kernel fails the gate E: int8.column/cpu.simd/1x1x1/day98/s1"));
}

TEST(Outcomes, OneFloatUpIsSeenByBitsAlone) {
  const Mutant one_up = mutant_of_output("one_up", [](Matrix<float>& output) {
    output(0, 0) = std::nextafter(output(0, 0), 1e30f);
    return true;
  });
  const auto outcomes = try_mutants({&one_up});
  EXPECT_THAT(kill_matrix(outcomes).at("one_up").at("int8.column"), ElementsAre("I", "drift"));
}

TEST(Outcomes, AMutantOfASchemeThatDoesNotExistIsRefused) {
  Mutant lost = mutant_of_output("lost", [](Matrix<float>&) { return true; });
  lost.schemes = {"int9.column"};
  EXPECT_THROW(try_mutants({&lost}), std::logic_error);
}

TEST(Tables, CountAndMarkKills) {
  const Mutant zeros = mutant_of_output("zeros", [](Matrix<float>& output) {
    for (float& element : output.flat()) element = 0.0f;
    return true;
  });
  FalseAlarms alarms;
  alarms.cases = 4;
  alarms.failed[kOwnGateCount] = 1;
  const SelftestFile file = selftest_file(try_mutants({&zeros}), alarms, {});
  ASSERT_EQ(file.gates.size(), kGateCount);
  EXPECT_EQ(file.gates[0].pairs, 2);
  EXPECT_EQ(file.gates[0].killed, 2);
  EXPECT_EQ(file.gates[kOwnGateCount].false_alarms, 1);
  EXPECT_THAT(terminal_table(file), HasSubstr("zeros                             x    . x "));
  EXPECT_THAT(terminal_table(file), HasSubstr("allclose        1/1"));
  EXPECT_THAT(terminal_table(file), HasSubstr("25.00 %"));
  EXPECT_THAT(markdown_page(file), HasSubstr("| `zeros`: made for a test | ● |  | ● |"));
}

// Bits see everything; a bound sees what is larger than itself.
TEST(SmallestErrors, AreOrderedAsTheGatesAre) {
  for (const SmallestErrors& errors : find_smallest_errors()) {
    const auto& scale = errors.caught[static_cast<std::size_t>(ErrorKind::scale)];
    const auto& bias = errors.caught[static_cast<std::size_t>(ErrorKind::bias)];
    const auto& ulp = errors.caught[static_cast<std::size_t>(ErrorKind::ulp)];
    constexpr auto kBits = static_cast<std::size_t>(GateResult::Gate::implementation);
    constexpr auto kBound = static_cast<std::size_t>(GateResult::Gate::error);
    EXPECT_EQ(ulp[kBits], 1.0) << errors.scheme;
    EXPECT_EQ(ulp[kDriftGate], 1.0) << errors.scheme;
    ASSERT_TRUE(scale[kBits] && scale[kBound] && bias[kBound]) << errors.scheme;
    EXPECT_LE(*scale[kBits], 0x1p-23) << errors.scheme;
    EXPECT_LT(*scale[kBits], *scale[kBound]) << errors.scheme;
    EXPECT_LE(*bias[kBound], 2.0) << errors.scheme;
  }
}

}  // namespace
}  // namespace narrowgate::selftest
