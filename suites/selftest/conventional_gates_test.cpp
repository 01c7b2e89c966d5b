// The gates people use, on numbers that can be checked by hand: each on both sides of its limit.
#include "suites/selftest/conventional_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

namespace narrowgate::selftest {
namespace {

bool passes(std::string_view gate, std::initializer_list<float> output, std::initializer_list<double> reference) {
  Matrix<float> x(1, static_cast<std::int64_t>(output.size()));
  std::copy(output.begin(), output.end(), x.data());
  Matrix<double> y(1, static_cast<std::int64_t>(reference.size()));
  std::copy(reference.begin(), reference.end(), y.data());
  for (const ConventionalGate& candidate : conventional_gates()) {
    if (candidate.name == gate) return candidate.passes(compare_outputs(x, y));
  }
  ADD_FAILURE() << "no gate " << gate;
  return false;
}

TEST(ConventionalGates, AllcloseAddsItsTolerances) {
  EXPECT_TRUE(passes("allclose", {1.0195f, 10.105f}, {1.0, 10.0}));  // 0.0195 ≤ 0.02, 0.105 ≤ 0.11
  EXPECT_FALSE(passes("allclose", {1.0205f, 10.0f}, {1.0, 10.0}));
  EXPECT_TRUE(passes("allclose", {0.0099f}, {0.0}));
  EXPECT_FALSE(passes("allclose", {0.0101f}, {0.0}));
}

TEST(ConventionalGates, OrFormTakesTheLargerOfItsTolerances) {
  EXPECT_TRUE(passes("or_form", {1.0095f, 10.095f}, {1.0, 10.0}));
  EXPECT_FALSE(passes("or_form", {1.0195f, 10.0f}, {1.0, 10.0}));  // allclose passes it
  EXPECT_TRUE(passes("or_form", {0.0099f}, {0.0}));
}

TEST(ConventionalGates, NmseIsRelativeToTheReferencesEnergy) {
  EXPECT_TRUE(passes("nmse", {100.0f, 2.2f}, {100.0, 0.0}));   // 4.84 / 10000 = 4.84e-4
  EXPECT_FALSE(passes("nmse", {100.0f, 2.3f}, {100.0, 0.0}));  // 5.29e-4
}

TEST(ConventionalGates, CosineSeesNoScale) {
  EXPECT_TRUE(passes("cosine", {2.0f, 4.0f}, {1.0, 2.0}));
  EXPECT_TRUE(passes("cosine", {7.0f, 0.9f}, {7.0, 0.0}));   // 7/√49.81 = 0.9918
  EXPECT_FALSE(passes("cosine", {7.0f, 1.1f}, {7.0, 0.0}));  // 7/√50.21 = 0.9879
  EXPECT_FALSE(passes("cosine", {-1.0f, -2.0f}, {1.0, 2.0}));
  EXPECT_FALSE(passes("cosine", {0.0f, 0.0f}, {1.0, 2.0}));
}

TEST(ConventionalGates, MeanRatiosAreOfSumsOfMagnitudes) {
  EXPECT_TRUE(passes("mean_0.04", {103.0f, 0.0f}, {100.0, 0.0}));
  EXPECT_FALSE(passes("mean_0.04", {105.0f, 0.0f}, {100.0, 0.0}));
  EXPECT_TRUE(passes("mean_0.001", {1000.5f, -1000.5f}, {1000.0, -1000.0}));  // 1 / 2000
  EXPECT_FALSE(passes("mean_0.001", {1003.0f, -1000.0f}, {1000.0, -1000.0}));
}

TEST(ConventionalGates, CalcDiffIsOneLessTheDiceOfEnergies) {
  EXPECT_TRUE(passes("calc_diff", {104.0f}, {100.0}));   // 1 − 20800/20816 = 7.7e-4
  EXPECT_FALSE(passes("calc_diff", {105.0f}, {100.0}));  // 1 − 21000/21025 = 1.19e-3
}

TEST(ConventionalGates, SqnrWantsTwentyFiveDecibels) {
  EXPECT_TRUE(passes("sqnr", {105.5f}, {100.0}));   // 10000/30.25 = 330: 25.2 dB
  EXPECT_FALSE(passes("sqnr", {105.7f}, {100.0}));  // 10000/32.49 = 308: 24.9 dB
}

TEST(ConventionalGates, NothingThatIsNotFinitePassesAndZerosEqualZeros) {
  for (const ConventionalGate& gate : conventional_gates()) {
    EXPECT_FALSE(passes(gate.name, {std::numeric_limits<float>::quiet_NaN(), 1.0f}, {1.0, 1.0})) << gate.name;
    EXPECT_FALSE(passes(gate.name, {std::numeric_limits<float>::infinity(), 1.0f}, {1.0, 1.0})) << gate.name;
    EXPECT_TRUE(passes(gate.name, {0.0f, 0.0f}, {0.0, 0.0})) << gate.name;
    EXPECT_TRUE(passes(gate.name, {1.0f, -2.0f}, {1.0, -2.0})) << gate.name;
  }
}

TEST(ConventionalGates, RulesNameTheConstantsThatAreUsed) {
  using testing::HasSubstr;
  const auto& gates = conventional_gates();
  EXPECT_EQ(kAbsoluteTolerance, 0.01);
  EXPECT_EQ(kRelativeTolerance, 0.01);
  EXPECT_THAT(std::string(gates[0].rule), HasSubstr("0.01 + 0.01"));
  EXPECT_EQ(kNmseLimit, 5e-4);
  EXPECT_THAT(std::string(gates[2].rule), HasSubstr("5e-4"));
  EXPECT_EQ(kCosineLimit, 0.99);
  EXPECT_EQ(kCalcDiffLimit, 1e-3);
  EXPECT_DOUBLE_EQ(kSqnrRatio * kSqnrRatio, 1e5);
}

}  // namespace
}  // namespace narrowgate::selftest
