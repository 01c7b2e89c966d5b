// Promotion: only a complete, green run of a clean tree, and each refusal says what is wrong.
#include "baselines/accept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AcceptOptions options() {
  AcceptOptions options;
  options.why = "first baseline";
  options.date = "2026-11-30";
  return options;
}

template <class Change>
std::string refusal(Change change) {
  Results results = test::results();
  AcceptOptions with = options();
  change(results, with);
  return test::error_of(accept(results, {}, with));
}

TEST(Accept, NewCases) {
  const auto acceptance = accept(test::results(), {}, options());
  ASSERT_TRUE(acceptance) << acceptance.error().message;
  EXPECT_THAT(acceptance->added, ElementsAre(test::kCase));
  EXPECT_TRUE(acceptance->changed.empty());
  EXPECT_EQ(acceptance->accuracy.cases.at(test::kCase).digest, test::kDigest);
  EXPECT_EQ(acceptance->accuracy.cases.at(test::kCase).family, "int8");
  EXPECT_EQ(acceptance->why_line,
            "- 2026-11-30 · 1 new, 0 changed, 0 unchanged · first baseline · abcdef012345");
}

TEST(Accept, ChangedAndUnchangedCases) {
  AccuracyBaseline old = test::baseline();
  old.cases["fp32.chain/1x1x1/day98/s1"] = test::line();
  const auto same = accept(test::results(), old, options());
  EXPECT_EQ(same->unchanged, 1u);
  EXPECT_EQ(same->accuracy.cases.size(), 2u) << "lines of other cases stay";
  old.cases[test::kCase].rms_err = 0.2;
  const auto changed = accept(test::results(), old, options());
  EXPECT_THAT(changed->changed, ElementsAre(test::kCase));
  EXPECT_EQ(changed->accuracy.cases.at(test::kCase).rms_err, 0.1);
}

TEST(Accept, RefusesARunThatIsNotGreen) {
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks.pop_back(); }),
              HasSubstr("the run is incomplete: int8.column/cuda.tiled/256x256x256/day98/s1 is missing"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[0].state = Row::State::crashed; }), HasSubstr("crashed"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[1].gates[3].state = GateResult::State::fail; }),
              HasSubstr("gate E failed"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[1].gates[3].state = GateResult::State::not_measured; }),
              HasSubstr("gate E was not measured"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[1].gates.clear(); }), HasSubstr("holds no gates"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[1].nonfinite = 4; }), HasSubstr("not finite"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[1].rms_err.reset(); }), HasSubstr("was not measured"));
}

TEST(Accept, ABoundedFailureRefusesTheRunToo) {
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) {
                r.benchmarks[1].contract = Row::Contract::bounded;
                r.benchmarks[1].gates[3].state = GateResult::State::fail;
              }),
              HasSubstr("gate E failed"));
}

TEST(Accept, RefusesKernelsThatDisagree) {
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.benchmarks[1].digest = test::kOtherDigest; }),
              HasSubstr("int8.column/cpu.scalar/256x256x256/day98/s1 and int8.column/cuda.tiled/256x256x256/day98/s1 "
                        "disagree on their case: digest differs"));
}

TEST(Accept, RefusesWhatIsNotReproducible) {
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.context.planted = "one_nan"; }), HasSubstr("planted the bug \"one_nan\""));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.context.git_dirty = true; }), HasSubstr("uncommitted changes"));
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { r.context.git_commit.reset(); }), HasSubstr("not known which commit"));
  Results dirty = test::results();
  dirty.context.git_dirty = true;
  AcceptOptions allow = options();
  allow.dirty_tree = AcceptOptions::DirtyTree::allow;
  EXPECT_TRUE(accept(dirty, {}, allow));
}

TEST(Accept, RefusesAnEmptyOrLongWhy) {
  EXPECT_THAT(refusal([](Results&, AcceptOptions& o) { o.why = "  "; }), HasSubstr("--why is empty"));
  EXPECT_THAT(refusal([](Results&, AcceptOptions& o) { o.why = "a\n- forged line"; }), HasSubstr("line ends"));
}

TEST(Accept, CasesWithoutAnExactKernelAreLeftOut) {
  Results results = test::results();
  results.manifest.push_back("bounded");
  Row bounded = test::row("bounded", "cublas", Row::Backend::cuda);
  bounded.contract = Row::Contract::bounded;
  bounded.case_id = "another";
  bounded.digest = test::kOtherDigest;
  results.benchmarks.push_back(bounded);
  EXPECT_EQ(accept(results, {}, options())->accuracy.cases.size(), 1u);
}

TEST(BoundedBaseline, TakesTheFractionsOfARunByDeviceAndKeepsTheOthers) {
  Results results = test::results();
  for (Row& row : results.benchmarks) row.contract = Row::Contract::bounded;
  results.benchmarks[0].implementation_bound_fraction = 0.25;
  results.benchmarks[0].backend = Row::Backend::simt;
  results.benchmarks[1].implementation_bound_fraction = 0.5;
  BoundedBaseline stored;
  stored.devices["simt"] = {{"another", 0.125}, {test::kScalarCell, 0.0625}};
  const BoundedBaseline after = bounded_baseline(results, stored);
  EXPECT_EQ(after.devices.at("simt"), (BoundedBaseline::Cells{{"another", 0.125}, {test::kScalarCell, 0.25}}));
  EXPECT_EQ(after.devices.at("Tesla T4|40|sm_75"), (BoundedBaseline::Cells{{test::kTiledCell, 0.5}}));
  EXPECT_EQ(accept(results, {}, options())->why_line,
            "- 2026-11-30 · 0 new, 0 changed, 0 unchanged, 2 fractions of bounds · first baseline · abcdef012345");
  EXPECT_TRUE(bounded_baseline(test::results()).devices.empty()) << "exact kernels have none";
}

TEST(Accept, NothingMeasuredIsNothingToAccept) {
  EXPECT_THAT(refusal([](Results& r, AcceptOptions&) { for (Row& row : r.benchmarks) row.state = Row::State::skipped; }),
              HasSubstr("measured no cell"));
}

TEST(TimingBaselines, OnePerDeviceAndNoneForSimulation) {
  Results results = test::results();
  for (Row& row : results.benchmarks) {
    row.time_state = Row::TimeState::measured;
    row.real_time = 1000;
    row.samples_ns = {1000, 1001, 999};
    row.time_min_ns = 999;
    row.device_key = results.context.devices.at(std::string(to_string(row.backend))).key;
  }
  results.manifest.push_back("simt");
  Row simulated = results.benchmarks[0];
  simulated.id = "simt";
  simulated.backend = Row::Backend::simt;
  results.context.devices["simt"] = results.context.devices["cpu"];
  results.benchmarks.push_back(simulated);
  const auto baselines = timing_baselines(results);
  ASSERT_EQ(baselines.size(), 2u);
  EXPECT_EQ(baselines[1].device.key, "cpu-2-AVX2");
  EXPECT_EQ(baselines[0].device.model, "Tesla T4");
  EXPECT_EQ(baselines[0].suite, "smoke");
  ASSERT_EQ(baselines[1].cells.size(), 1u);
  EXPECT_EQ(baselines[1].cells.at(test::kScalarCell).launches, std::vector<double>{1000});
  EXPECT_EQ(baselines[1].cells.at(test::kScalarCell).samples, 3);
  results.benchmarks[0].real_time = 0;
  EXPECT_EQ(timing_baselines(results).size(), 1u) << "a time of zero is stored";
}

TEST(TimingBaselines, AFilteredRunKeepsTheOtherLines) {
  Results results = test::results();
  Row& row = results.benchmarks[0];
  row.time_state = Row::TimeState::measured;
  row.real_time = 1000;
  row.device_key = "cpu-2-AVX2";
  TimingBaseline stored;
  stored.device.key = "cpu-2-AVX2";
  stored.suite = "smoke";
  stored.cells["other"] = {{5}, 5, 5, 1};
  stored.cells[test::kScalarCell] = {{7}, 7, 7, 1};
  TimingBaseline of_another_suite = stored;
  of_another_suite.suite = "nightly";
  of_another_suite.cells["nightly only"] = {{5}, 5, 5, 1};
  const auto baselines = timing_baselines(results, {of_another_suite, stored});
  ASSERT_EQ(baselines.size(), 1u);
  EXPECT_EQ(baselines[0].cells.size(), 2u);
  EXPECT_EQ(baselines[0].cells.at("other").median_ns, 5);
  EXPECT_EQ(baselines[0].cells.at(test::kScalarCell).median_ns, 1000);
}

}  // namespace
}  // namespace narrowgate
