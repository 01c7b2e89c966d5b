// Every state and every exit code, and what may not count as a pass.
#include "baselines/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/sentence.h"
#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum GateResult::Gate;
using enum GateResult::State;

Verdict verdict_of(const Results& results, const AccuracyBaseline& accuracy = test::baseline(),
                   const std::vector<TimingBaseline>& timing = {}) {
  const auto verdict = compare(results, accuracy, {}, timing, {});
  EXPECT_TRUE(verdict) << verdict.error().message;
  return verdict.value_or(Verdict{});
}

// The verdict when only the first row is changed.
template <class Change>
CellVerdict first_cell(Change change, int exit_code) {
  Results results = test::results();
  change(results.benchmarks[0]);
  const Verdict verdict = verdict_of(results);
  EXPECT_EQ(verdict.exit_code, exit_code) << verdict.sentence;
  EXPECT_EQ(verdict.cells[1].state, ErrorState::pass) << "the other cell is judged by itself";
  return verdict.cells[0];
}

TEST(Compare, Pass) {
  const Verdict verdict = verdict_of(test::results());
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_EQ(verdict.sentence, "Error gate PASS, 2 cells. Time: not measured.");
  EXPECT_EQ(verdict.counts[ErrorState::pass], 2);
  EXPECT_EQ(verdict.counts.total, 2);
  EXPECT_EQ(verdict.cells[0].reason, "");
  EXPECT_TRUE(verdict.attention.empty());
  EXPECT_TRUE(verdict.reasons.empty());
  EXPECT_EQ(verdict.cells[0].rerun, "narrowgate run smoke --filter 'int8.column/cpu.scalar/256x256x256/day98/s1'");
}

TEST(Compare, ADecidingGateThatFailsIsRegressed) {
  for (const auto name : {quantization, implementation, error, day98}) {
    const CellVerdict cell = first_cell(
        [&](Row& row) {
          row.gates = {test::gate(guards, pass), test::gate(name, fail)};
          row.gates[1].detail = "0.6 is above 0.5";
        },
        1);
    EXPECT_EQ(cell.state, ErrorState::regressed);
    EXPECT_EQ(cell.reason, "gate " + std::string(to_string(name)) + " failed: 0.6 is above 0.5");
  }
}

TEST(Compare, AGateThatDoesNotDecideNeverDecides) {
  const CellVerdict cell = first_cell(
      [](Row& row) {
        row.gates.push_back(test::gate(day98, fail));
        row.gates.back().decides = false;
      },
      0);
  EXPECT_EQ(cell.state, ErrorState::pass);
  EXPECT_EQ(first_cell([](Row& row) { for (GateResult& gate : row.gates) gate.decides = false; }, 3).state,
            ErrorState::no_verdict);
}

TEST(Compare, InvalidOutputs) {
  EXPECT_EQ(first_cell([](Row& row) { row.nonfinite = 1; }, 1).reason, "1 output element is not finite");
  EXPECT_EQ(first_cell([](Row& row) { row.nonfinite = 1; }, 1).state, ErrorState::invalid);
  EXPECT_EQ(first_cell([](Row& row) { row.gates[0].state = fail; }, 1).state, ErrorState::invalid);
  EXPECT_EQ(first_cell([](Row& row) { row.max_abs_err = -1; }, 1).state, ErrorState::invalid);
  EXPECT_EQ(first_cell([](Row& row) { row.rms_err = std::nan(""); }, 1).state, ErrorState::invalid);
  const CellVerdict crashed = first_cell(
      [](Row& row) {
        row.state = Row::State::crashed;
        row.reason = "signal 11";
      },
      1);
  EXPECT_EQ(crashed.state, ErrorState::invalid);
  EXPECT_EQ(crashed.reason, "crashed: signal 11");
}

TEST(Compare, AChangedAnswerIsChanged) {
  const CellVerdict cell = first_cell([](Row& row) { row.digest = test::kOtherDigest; }, 1);
  EXPECT_EQ(cell.state, ErrorState::changed);
  EXPECT_EQ(cell.reason, "the output differs: digest " + test::kOtherDigest + ", stored " + test::kDigest);
  EXPECT_EQ(first_cell(
                [](Row& row) {
                  row.digest = test::kOtherDigest;
                  row.gates[3].state = fail;
                },
                1)
                .state,
            ErrorState::regressed);
  EXPECT_EQ(first_cell(
                [](Row& row) {
                  row.digest = test::kOtherDigest;
                  row.gates[3].state = not_measured;
                },
                1)
                .state,
            ErrorState::changed);
}

TEST(Compare, AnImprovementIsAChangeToo) {
  EXPECT_EQ(first_cell([](Row& row) { row.rms_err = 0.01; }, 1).state, ErrorState::changed);
}

TEST(Compare, EachMetricIsComparedByBits) {
  const auto reason = [](auto change) { return first_cell(change, 1).reason; };
  EXPECT_THAT(reason([](Row& row) { row.max_abs_err = std::nextafter(0.5, 1.0); }), HasSubstr("max_abs_err differs"));
  EXPECT_THAT(reason([](Row& row) { row.mean_abs_err = 0.0626; }), HasSubstr("mean_abs_err differs"));
  EXPECT_THAT(reason([](Row& row) { row.rms_err = std::nextafter(0.1, 0.0); }), HasSubstr("rms_err differs"));
  EXPECT_THAT(reason([](Row& row) { row.bound_fraction = 0.7500001; }), HasSubstr("bound_fraction differs"));
  EXPECT_THAT(reason([](Row& row) { row.worst_row = 4; }), HasSubstr("worst_row differs"));
  EXPECT_THAT(reason([](Row& row) { row.worst_col = 4; }), HasSubstr("worst_col differs"));
}

TEST(Compare, TwoKernelsThatDisagreeAreJudgedEachByItsOwnAnswer) {
  Results results = test::results();
  results.benchmarks[0].digest = test::kOtherDigest;
  results.benchmarks[1].digest = "ffffffffffffffffffffffffffffffff";
  EXPECT_EQ(verdict_of(results).counts[ErrorState::changed], 2);
}

TEST(Compare, MismatchesOfAnExactKernelAreNeverAPass) {
  EXPECT_EQ(first_cell([](Row& row) { row.implementation_mismatches = 1; }, 1).state, ErrorState::regressed);
}

TEST(Compare, TooLittleMeasuredIsNoVerdict) {
  EXPECT_EQ(first_cell([](Row& row) { row.gates.clear(); }, 3).reason, "the row holds no gates");
  EXPECT_EQ(first_cell([](Row& row) { row.gates[2].state = not_measured; }, 3).reason, "gate I was not measured");
  EXPECT_EQ(first_cell([](Row& row) { for (GateResult& gate : row.gates) gate.state = not_applicable; }, 3).state,
            ErrorState::no_verdict);
  EXPECT_EQ(first_cell([](Row& row) { row.digest.reset(); }, 3).state, ErrorState::no_verdict);
  EXPECT_EQ(first_cell([](Row& row) { row.rms_err.reset(); }, 3).state, ErrorState::no_verdict);
}

// The first cell as that of a bounded kernel that uses `used` of its bound, where `stored` is what it used before.
CellVerdict bounded_cell(double used, std::optional<double> stored, int exit_code,
                         Row::Backend backend = Row::Backend::cpu) {
  Results results = test::results();
  Row& row = results.benchmarks[0];
  row.backend = backend;
  row.contract = Row::Contract::bounded;
  row.digest = test::kOtherDigest;
  row.implementation_bound_fraction = used;
  BoundedBaseline bounded;
  if (stored) bounded.devices[backend == Row::Backend::simt ? "simt" : "cpu-2-AVX2"][test::kScalarCell] = *stored;
  const Verdict verdict = compare(results, test::baseline(), bounded, {}, {}).value();
  EXPECT_EQ(verdict.exit_code, exit_code) << verdict.sentence;
  return verdict.cells[0];
}

TEST(Compare, ABoundedKernelIsHeldToItsStoredFraction) {
  EXPECT_EQ(bounded_cell(0.10, 0.10, 0).state, ErrorState::pass);
  EXPECT_EQ(bounded_cell(0.124, 0.10, 0).state, ErrorState::pass);
  EXPECT_EQ(bounded_cell(0.13, 0.10, 1).state, ErrorState::regressed);
  EXPECT_EQ(bounded_cell(0.13, 0.10, 1).reason, "uses 0.13 of its bound, stored 0.1 on cpu-2-AVX2");
  EXPECT_EQ(bounded_cell(0.10, 0.10, 0).baseline_bound_fraction, 0.10);
}

TEST(Compare, ASmallFractionMayGrowByAHundredthOfTheBound) {
  EXPECT_EQ(bounded_cell(0.0109, 0.001, 0).state, ErrorState::pass);
  EXPECT_EQ(bounded_cell(0.0111, 0.001, 1).state, ErrorState::regressed);
  EXPECT_EQ(bounded_cell(0.0, 0.0, 0).state, ErrorState::pass);
}

TEST(Compare, ABoundedKernelThatUsesLessIsImproved) {
  EXPECT_EQ(bounded_cell(0.10, 0.124, 0).state, ErrorState::pass);
  EXPECT_EQ(bounded_cell(0.10, 0.13, 0).state, ErrorState::improved);
}

TEST(Compare, OtherBitsOfABoundedKernelAreNoChange) {
  const CellVerdict cell = bounded_cell(0.10, 0.10, 0);
  EXPECT_EQ(cell.row->digest, test::kOtherDigest);
  EXPECT_FALSE(cell.baseline) << "the case's digest is not this kernel's";
}

TEST(Compare, ABoundedCellWithoutAStoredFractionIsNew) {
  const CellVerdict cell = bounded_cell(0.10, std::nullopt, 3);
  EXPECT_EQ(cell.state, ErrorState::new_case);
  EXPECT_THAT(cell.reason,
              HasSubstr("stored for this cell on cpu-2-AVX2; accept it first: narrowgate accept results.json"));
}

TEST(Compare, SimulatedKernelsShareOneKeyOnEveryHost) {
  EXPECT_EQ(bounded_cell(0.10, 0.10, 0, Row::Backend::simt).state, ErrorState::pass);
}

TEST(Compare, ABoundedRowMustBeSoundKnownAndMeasured) {
  const auto bounded = [](Row& row) {
    row.contract = Row::Contract::bounded;
    row.implementation_bound_fraction = 0.1;
  };
  EXPECT_EQ(first_cell([&](Row& row) { bounded(row), row.gates[2].state = fail; }, 1).state, ErrorState::regressed);
  EXPECT_EQ(first_cell([&](Row& row) { bounded(row), row.gates[2].state = not_measured; }, 3).state,
            ErrorState::no_verdict);
  EXPECT_EQ(first_cell([&](Row& row) { bounded(row), row.implementation_bound_fraction.reset(); }, 3).reason,
            "the row lacks what the kernel uses of its bound");
  EXPECT_EQ(first_cell([&](Row& row) { bounded(row), row.implementation_bound_fraction = std::nan(""); }, 1).state,
            ErrorState::invalid);
  Results elsewhere = test::results();
  bounded(elsewhere.benchmarks[0]);
  elsewhere.context.devices.erase("cpu");
  EXPECT_EQ(verdict_of(elsewhere).cells[0].reason, "the run does not know the device that the kernel ran on");
}

TEST(Compare, ANewCaseIsNotAPass) {
  AccuracyBaseline other;
  other.cases["int8.column/1x1x1/day98/s1"] = test::line();
  const Verdict verdict = verdict_of(test::results(), other);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_EQ(verdict.counts[ErrorState::new_case], 2);
  EXPECT_THAT(verdict.cells[0].reason, HasSubstr("accept it first: narrowgate accept results.json --why "));
  EXPECT_EQ(verdict.sentence, "No verdict: 2 of 2 cells undecided, 2 new. Time: not measured.");
}

TEST(Compare, OneNewCaseAmongKnownOnesIsNotAPass) {
  EXPECT_EQ(first_cell([](Row& row) { row.case_id = "another"; }, 3).state, ErrorState::new_case);
}

TEST(Compare, NoOverlapPrintsBothLists) {
  AccuracyBaseline other;
  for (const char* id : {"a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7"}) other.cases[id] = test::line();
  EXPECT_THAT(verdict_of(test::results(), other).reasons.back(),
              HasSubstr("no case is in both. Measured: " + test::kCase +
                        ". In the baseline: a/1, a/2, a/3, a/4, a/5, and 2 more"));
  EXPECT_THAT(verdict_of(test::results(), {}).reasons.back(), HasSubstr("holds no case yet; accept a run first"));
}

TEST(Compare, AMissingCell) {
  Results results = test::results();
  results.benchmarks.pop_back();
  const Verdict verdict = verdict_of(results);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_EQ(verdict.cells[1].state, ErrorState::missing);
  EXPECT_FALSE(verdict.cells[1].row);
  EXPECT_EQ(verdict.sentence, "No verdict: 1 of 2 cells undecided, 1 missing. Time: not measured.");
}

TEST(Compare, ASkippedCellIsNotMeasuredWhateverItHolds) {
  const auto skip = [](Row& row) {
    row.state = Row::State::skipped;
    row.reason = "n % 4 != 0";
    row.real_time = 0e-20;
  };
  const CellVerdict cell = first_cell(skip, 0);
  EXPECT_EQ(cell.state, ErrorState::skipped);
  EXPECT_EQ(cell.reason, "n % 4 != 0");
  Results all = test::results();
  for (Row& row : all.benchmarks) skip(row);
  const Verdict verdict = verdict_of(all);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_EQ(verdict.sentence, "No verdict: nothing was measured, 2 cells skipped. Time: not measured.");
  EXPECT_THAT(verdict.reasons, ElementsAre("no cell was measured"));
}

TEST(Compare, AnEmptyPlanIsNotAPass) {
  Results results;
  results.context = test::context();
  const Verdict verdict = verdict_of(results);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_EQ(verdict.sentence, "No verdict: no cell was planned. Time: not measured.");
}

TEST(Compare, UnsoundResultsAreAnError) {
  Results results = test::results();
  results.benchmarks.push_back(results.benchmarks[0]);
  EXPECT_THAT(test::error_of(compare(results, test::baseline(), {}, {}, {})),
              HasSubstr("/benchmarks/0 and /benchmarks/2"));
}

TEST(Compare, WorstFirst) {
  Results results = test::results();
  results.manifest = {"pass", "new", "missing", "changed", "regressed", "invalid", "none"};
  results.benchmarks.clear();
  for (const std::string id : {"pass", "new", "changed", "regressed", "invalid", "none"}) {
    results.benchmarks.push_back(test::row(id, "cpu.scalar", Row::Backend::cpu));
  }
  results.benchmarks[1].case_id = "another";
  results.benchmarks[2].digest = test::kOtherDigest;
  results.benchmarks[3].gates[3].state = fail;
  results.benchmarks[4].nonfinite = 5;
  results.benchmarks[5].gates.clear();
  const Verdict verdict = verdict_of(results);
  EXPECT_THAT(verdict.attention, ElementsAre("invalid", "regressed", "changed", "missing", "none", "new"));
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.sentence, "Error gate FAIL, 3 of 7 cells: 1 invalid, 1 regressed, 1 changed; 1 missing, "
                              "1 without a verdict, 1 new. Time: not measured.");
  EXPECT_EQ(verdict.counts.total, 7);
}

TEST(Compare, APlantedBugIsJudgedTheSame) {
  Results results = test::results();
  results.context.planted = "one_nan";
  EXPECT_EQ(verdict_of(results).exit_code, 0);
  results.benchmarks[0].nonfinite = 1;
  EXPECT_EQ(verdict_of(results).exit_code, 1);
}

TEST(Compare, TimeNeverTouchesTheErrorVerdict) {
  Results results = test::results();
  for (Row& row : results.benchmarks) {
    row.time_state = Row::TimeState::measured;
    row.device_key = "key";
    row.real_time = 0;
  }
  results.benchmarks[1].real_time = 1e9;
  TimingBaseline timing;
  timing.device.key = "key";
  timing.suite = "smoke";
  timing.cells[test::kTiledCell] = {{100, 100, 100, 100, 100}, 100, 100, 5};
  const Verdict verdict = verdict_of(results, test::baseline(), {timing});
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_EQ(verdict.cells[0].time_state, TimeState::invalid);
  EXPECT_EQ(verdict.cells[1].time_state, TimeState::ambiguous);
  EXPECT_EQ(verdict.cells[1].time_ratio, 1e7);
  EXPECT_EQ(verdict.sentence, "Error gate PASS, 2 cells. Time: 1 ambiguous, 1 invalid.");
  EXPECT_THAT(verdict.attention, ElementsAre(test::kScalarCell));
}

TEST(Compare, NamesWithEqualBeginningsAreTwoCells) {
  Results results = test::results();
  const std::string stem(65, 'x');
  results.manifest = {stem + "a", stem + "b"};
  for (std::size_t i = 0; i < 2; ++i) results.benchmarks[i].id = results.manifest[i];
  results.benchmarks[1].digest = test::kOtherDigest;
  const Verdict verdict = verdict_of(results);
  EXPECT_EQ(verdict.cells[0].state, ErrorState::pass);
  EXPECT_EQ(verdict.cells[1].state, ErrorState::changed);
}

TEST(ExitCode, Precedence) {
  EXPECT_EQ(leading_exit_code({}), 0);
  EXPECT_EQ(leading_exit_code({4, 3}), 3);
  EXPECT_EQ(leading_exit_code({4, 3, 5}), 5);
  EXPECT_EQ(leading_exit_code({4, 3, 5, 1}), 1);
  EXPECT_EQ(leading_exit_code({4, 3, 5, 1, 2}), 2);
}

TEST(Sentence, SingularPluralAndDroppedParts) {
  Counts<ErrorState> counts;
  Counts<TimeState> times;
  for (int i = 0; i < 409; ++i) counts.add(ErrorState::pass);
  for (int i = 0; i < 3; ++i) counts.add(ErrorState::skipped);
  for (int i = 0; i < 3; ++i) times.add(TimeState::slower);
  for (int i = 0; i < 402; ++i) times.add(TimeState::same);
  times.add(TimeState::faster);
  for (int i = 0; i < 6; ++i) times.add(TimeState::ambiguous);
  EXPECT_EQ(sentence(0, counts, times),
            "Error gate PASS, 409 cells; 3 skipped. Time: 3 slower, 1 faster, 402 same, 6 ambiguous.");
  Counts<ErrorState> one;
  one.add(ErrorState::changed);
  Counts<TimeState> none;
  none.add(TimeState::unmeasured);
  EXPECT_EQ(sentence(1, one, none), "Error gate FAIL, 1 of 1 cell: 1 changed. Time: not measured.");
}

}  // namespace
}  // namespace narrowgate
