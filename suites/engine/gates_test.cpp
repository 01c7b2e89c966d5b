// Each gate against the defect it exists for, and against a correct output, on which it must stay silent.
#include "suites/engine/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "suites/engine/case_run.h"

namespace narrowgate {
namespace {

using testing::HasSubstr;
using State = GateResult::State;

class GatesTest : public testing::Test {
 protected:
  void prepare(const char* scheme, Shape shape) {
    of = {find_scheme(scheme), shape, Distribution::kDay98, 1};
    inputs = make_inputs(shape, of.distribution, of.seed);
    prepared = prepare_case(of, inputs);
    ASSERT_FALSE(prepared.refusal);
    right.output = right.second_output = prepared.answer.values;
  }
  const Matrix<double>& target() const {
    return prepared.expectation.target.empty() ? prepared.expectation.exact : prepared.expectation.target;
  }
  Metrics metrics_of(const Observation& observation) const {
    return measure(observation.output, prepared.expectation, prepared.operands);
  }
  GateResult guards_of(const Observation& observation) const {
    return judge_guards(observation, metrics_of(observation), target(), prepared.answer);
  }

  Case of;
  Inputs inputs;
  PreparedCase prepared;
  Observation right;  // what a correct kernel leaves
};

TEST_F(GatesTest, AreSilentOnTheSchemesAnswer) {
  for (const Scheme* scheme : all_schemes()) {
    prepare(std::string(scheme->id).c_str(), {33, 65, 129});
    EXPECT_EQ(guards_of(right).state, State::pass) << scheme->id;
    EXPECT_EQ(prepared.quantization.state, State::pass) << scheme->id << prepared.quantization.detail.value_or("");
    EXPECT_EQ(judge_implementation(right.output, prepared.answer).gate.state, State::pass);
    EXPECT_EQ(judge_error(metrics_of(right)).state, State::pass) << scheme->id;
  }
}

TEST_F(GatesTest, GuardsPassZerosThatAreTheSchemesAnswer) {
  of = {find_scheme("w4a16.g128.rtn.chain"), {4, 4, 4}, Distribution::kSubnormal, 1};
  inputs = make_inputs(of.shape, of.distribution, of.seed);
  prepared = prepare_case(of, inputs);  // activations below FP16 are zeros
  right.output = right.second_output = prepared.answer.values;
  EXPECT_EQ(right.output(0, 0), 0.0f);
  EXPECT_EQ(guards_of(right).state, State::pass);
}

TEST_F(GatesTest, GuardsSeeAnElementThatWasNeverWritten) {
  prepare("int8.column", {8, 8, 8});
  right.output(3, 4) = right.second_output(3, 4) = std::bit_cast<float>(Memory::kPoison);
  const GateResult result = guards_of(right);
  EXPECT_EQ(result.state, State::fail);
  EXPECT_EQ(result.row, 3);
  EXPECT_EQ(result.column, 4);
  EXPECT_THAT(result.detail.value(), HasSubstr("never written"));
}

TEST_F(GatesTest, GuardsSeeNanDamageInstabilityAndAllZeros) {
  prepare("fp32.chain", {8, 8, 8});
  Observation nan = right;
  nan.output(0, 7) = nan.second_output(0, 7) = std::nanf("");
  EXPECT_THAT(guards_of(nan).detail.value(), HasSubstr("1 of 64 elements are not finite"));
  Observation damaged = right;
  damaged.damage = {"wrote outside C"};
  EXPECT_THAT(guards_of(damaged).detail.value(), HasSubstr("the kernel wrote outside C"));
  Observation unstable = right;
  unstable.second_output(2, 2) = std::nextafter(unstable.second_output(2, 2), 1e9f);
  EXPECT_THAT(guards_of(unstable).detail.value(), HasSubstr("two runs gave different bits"));
  Observation zeros = right;
  zeros.output = zeros.second_output = Matrix<float>(8, 8);
  EXPECT_THAT(guards_of(zeros).detail.value(), HasSubstr("all zeros"));
}

TEST_F(GatesTest, ImplementationSeesOneBit) {
  prepare("int8.tensor", {8, 8, 8});
  right.output(5, 6) = std::nextafter(right.output(5, 6), 1e9f);
  const ImplementationError error = judge_implementation(right.output, prepared.answer);
  EXPECT_EQ(error.mismatches, 1);
  EXPECT_EQ(error.gate.row, 5);
  EXPECT_EQ(error.gate.column, 6);
  EXPECT_GT(error.max_abs_err, 0.0);
}

// A bounded kernel's outputs: the product of its operands, one element off by a part of the bound.
class BoundedTest : public GatesTest {
 protected:
  void prepare_sum(const char* scheme, Shape shape, reference::SumRounding sum) {
    prepare(scheme, shape);
    rounding = reference::expect_rounding(prepared.operands, sum);
    expectation = reference::with_rounding(prepared.expectation, *rounding);
  }
  Matrix<float> off_by(double part_of_bound) const {
    Matrix<float> output(rounding->product.rows(), rounding->product.cols());
    for (std::int64_t i = 0; i < output.size(); ++i) output.data()[i] = static_cast<float>(rounding->product.data()[i]);
    output(5, 6) = static_cast<float>(rounding->product(5, 6) + part_of_bound * rounding->bound(5, 6));
    return output;
  }
  std::optional<reference::RoundingExpectation> rounding;
  reference::Expectation expectation;
};

constexpr double kFp8Unit = 0x1p-14;

TEST_F(BoundedTest, GateIPassesJustInsideTheBoundAndFailsJustOutside) {
  prepare_sum("fp8.e4m3.tensor.chain", {8, 8, 96}, {.roundings = 35, .unit_roundoff = kFp8Unit});
  const RoundingError inside = judge_rounding(off_by(0.99), rounding);
  EXPECT_EQ(inside.gate.state, State::pass) << inside.gate.detail.value_or("");
  EXPECT_NEAR(inside.bound_fraction.value(), 0.99, 1e-3);
  const RoundingError outside = judge_rounding(off_by(1.01), rounding);
  EXPECT_EQ(outside.gate.state, State::fail);
  EXPECT_EQ(outside.gate.row, 5);
  EXPECT_EQ(outside.gate.column, 6);
  EXPECT_NEAR(outside.bound_fraction.value(), 1.01, 1e-3);
}

TEST_F(BoundedTest, ANaNIsBeyondTheBound) {
  prepare_sum("fp8.e4m3.tensor.chain", {8, 8, 96}, {.roundings = 35, .unit_roundoff = kFp8Unit});
  const RoundingError error = judge_rounding(off_by(std::nan("")), rounding);
  EXPECT_EQ(error.gate.state, State::fail);
  EXPECT_FALSE(error.bound_fraction);
}

TEST_F(BoundedTest, GateEAddsTheKernelsRoundingToTheOperandsErrors) {
  prepare_sum("fp8.e4m3.tensor.chain", {8, 8, 96}, {.roundings = 35, .unit_roundoff = kFp8Unit});
  EXPECT_GT(expectation.bound(5, 6), prepared.expectation.bound(5, 6)) << "14 bits round more than the scheme's 24";
  const auto state = [&](const Matrix<float>& output) {
    return judge_bounded_error(measure(output, expectation, prepared.operands), rounding).state;
  };
  EXPECT_EQ(state(off_by(0.99)), State::pass);
  Matrix<float> beyond = off_by(0.0);
  const double limit = prepared.expectation.exact(5, 6) + expectation.bound(5, 6);
  beyond(5, 6) = static_cast<float>(limit * (limit > 0 ? 1.001 : 0.999));
  EXPECT_EQ(state(beyond), State::fail);
}

TEST_F(BoundedTest, AVacuousBoundIsNoVerdict) {
  prepare_sum("fp8.e4m3.tensor.chain", {8, 8, 96}, {.roundings = 1 << 13, .unit_roundoff = kFp8Unit});  // γ = 1
  EXPECT_TRUE(rounding->is_vacuous);
  EXPECT_THAT(judge_rounding(off_by(0.0), rounding).gate.detail.value(), HasSubstr("vacuous"));
  EXPECT_EQ(judge_rounding(off_by(0.0), rounding).gate.state, State::not_measured);
  EXPECT_EQ(judge_bounded_error(metrics_of(right), rounding).state, State::not_measured);
  prepare_sum("fp8.e4m3.tensor.chain", {8, 8, 96}, {.roundings = 1 << 14, .unit_roundoff = kFp8Unit});  // tu = 1
  EXPECT_TRUE(rounding->is_vacuous);
  prepare_sum("fp8.e4m3.tensor.chain", {8, 8, 96}, {.roundings = 1 << 12, .unit_roundoff = kFp8Unit});  // γ = 1/3
  EXPECT_FALSE(rounding->is_vacuous);
}

TEST_F(BoundedTest, AKernelWithoutAPrecisionIsNotJudged) {
  prepare("fp32.chain", {8, 8, 8});
  EXPECT_EQ(judge_rounding(right.output, std::nullopt).gate.state, State::not_measured);
  EXPECT_EQ(judge_bounded_error(metrics_of(right), std::nullopt).state, State::not_measured);
}

TEST_F(GatesTest, QuantizationSeesAStaleScaleAndATruncatedCode) {
  prepare("int8.column", {8, 8, 8});
  Operands stale = prepared.operands;
  stale.b.scales[7] = stale.b.scales[6];
  EXPECT_THAT(judge_quantization(std::as_const(inputs.a).view(), std::as_const(inputs.b).view(), stale, prepared.operands).detail.value(),
              HasSubstr("B: scale 7 is"));
  Operands truncated = prepared.operands;
  truncated.a.codes(1, 1) = static_cast<std::int8_t>(truncated.a.codes(1, 1) - 1);
  EXPECT_THAT(judge_quantization(std::as_const(inputs.a).view(), std::as_const(inputs.b).view(), truncated, prepared.operands).detail.value(),
              HasSubstr("A: the code at row 1, column 1"));
  // Even where the replay has the same defect, the data do not decode.
  EXPECT_THAT(judge_quantization(std::as_const(inputs.a).view(), std::as_const(inputs.b).view(), truncated, truncated).detail.value(),
              HasSubstr("decodes to"));
}

TEST_F(GatesTest, ErrorSeesADeadColumnBehindALoudOne) {
  prepare("int8.column", {16, 14, 1024});  // columns 6 and 13 are 64 times quieter than columns 0 and 7
  for (std::int64_t row = 0; row < 16; ++row) right.output(row, 6) = 0.0f;
  const Metrics metrics = metrics_of(right);
  const GateResult result = judge_error(metrics);
  EXPECT_EQ(result.state, State::fail);
  EXPECT_EQ(result.column, 6);
  EXPECT_EQ(judge_day98(metrics, Day98Gate::kDecides).state, State::pass) << "the day 98 gate is too loose to see it";
}

TEST_F(GatesTest, Day98AppliesAsItsAuthorsUseIt) {
  prepare("int8.column_24", {16, 16, 16});
  EXPECT_EQ(judge_day98(metrics_of(right), Day98Gate::kDoesNotApply).state, State::not_applicable);
  EXPECT_FALSE(judge_day98(metrics_of(right), Day98Gate::kMeasuredOnly).decides);
  EXPECT_TRUE(judge_day98(metrics_of(right), Day98Gate::kDecides).decides);
}

}  // namespace
}  // namespace narrowgate
