// Whole cells of bounded kernels, and of kernels that find out only when they are bound that they cannot run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/engine/case_run.h"

namespace narrowgate {
namespace {

using State = GateResult::State;

const Scheme& chain() { return *find_scheme("fp32.chain"); }

Launch bind_replay(const Operands& operands, View<float> c, Memory& memory) {
  return replay_kernel(chain()).bind(operands, c, memory);
}

Launch bind_nothing(const Operands&, View<float>, Memory&) { throw NotSupported("rows of A are 3 bytes apart"); }

// The replay's own loop under another contract.
Kernel bounded(std::int64_t (*roundings)(Shape)) {
  Kernel kernel = replay_kernel(chain());
  kernel.contract = Contract::kBounded;
  kernel.precision = Precision{.unit_roundoff_bits = 24, .roundings = roundings};
  kernel.bind = bind_replay;
  return kernel;
}

Row row_of(const Kernel& kernel) {
  const Case of{&chain(), {8, 8, 64}, Distribution::kDay98, 1};
  return run_cell({.of = of, .kernel = &kernel, .layout = {}},
                  prepare_case(of, make_inputs(of.shape, of.distribution, of.seed)), {});
}

TEST(BoundedCell, RecordsWhatItUsesOfItsOwnBound) {
  const Row row = row_of(bounded(any_order_roundings));
  EXPECT_EQ(row.contract, Row::Contract::bounded);
  EXPECT_EQ(row.gates[2].state, State::pass);
  EXPECT_EQ(row.gates[3].state, State::pass);
  EXPECT_GT(row.implementation_bound_fraction.value(), 0.0);
  EXPECT_LT(row.implementation_bound_fraction.value(), 1.0);
  const Row half = row_of(bounded([](Shape shape) { return shape.k / 2; }));
  EXPECT_NEAR(half.implementation_bound_fraction.value() / row.implementation_bound_fraction.value(), 2.0, 1e-3);
}

TEST(BoundedCell, AVacuousBoundLeavesNothingMeasured) {
  const Row row = row_of(bounded([](Shape) { return std::int64_t{1} << 24; }));
  EXPECT_EQ(row.state, Row::State::measured);
  EXPECT_EQ(row.gates[2].state, State::not_measured);
  EXPECT_EQ(row.gates[3].state, State::not_measured);
  EXPECT_FALSE(row.implementation_bound_fraction);
  EXPECT_FALSE(row.bound_fraction) << "a fraction of infinity";
}

TEST(ExactCell, HasNoFractionOfARoundingBound) {
  EXPECT_FALSE(row_of(replay_kernel(chain())).implementation_bound_fraction);
}

TEST(Cell, IsSkippedWithTheReasonThatBindFinds) {
  Kernel kernel = replay_kernel(chain());
  kernel.bind = bind_nothing;
  const Row row = row_of(kernel);
  EXPECT_EQ(row.state, Row::State::skipped);
  EXPECT_EQ(row.reason, "rows of A are 3 bytes apart");
  EXPECT_TRUE(row.gates.empty());
}

}  // namespace
}  // namespace narrowgate
