// Time marks a row and never decides. Statistics are tested on built launches, without a clock.
#include "baselines/time_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using testing::HasSubstr;

const std::vector<double> kStored{1000, 1002, 998, 1001, 999};

std::vector<double> scaled(double factor) {
  std::vector<double> times;
  for (const double time : kStored) times.push_back(time * factor);
  return times;
}

TEST(JudgeLaunches, NeedsAnEffectAndSignificance) {
  EXPECT_EQ(judge_launches(kStored, kStored, 0.02).state, TimeState::same);
  EXPECT_EQ(judge_launches(scaled(1.03), kStored, 0.02).state, TimeState::slower);
  EXPECT_EQ(judge_launches(scaled(0.96), kStored, 0.02).state, TimeState::faster);
  EXPECT_EQ(judge_launches(scaled(1.015), kStored, 0.02).state, TimeState::same);    // significant, too small
  EXPECT_EQ(judge_launches(scaled(1.015), kStored, 0.01).state, TimeState::slower);  // the same on a GPU
  const std::vector<double> noisy{700, 1500, 900, 1600, 1000};
  EXPECT_EQ(judge_launches(noisy, kStored, 0.02).state, TimeState::same);  // large, not significant
}

TEST(JudgeLaunches, RecordsRatioAndReason) {
  const TimeJudgement judgement = judge_launches(scaled(1.03), kStored, 0.02);
  EXPECT_NEAR(*judgement.ratio, 1.03, 1e-12);
  EXPECT_NEAR(*judgement.baseline_time_ns, 1000, 0.01);
  EXPECT_THAT(judgement.reason, HasSubstr("+3.0 %"));
  EXPECT_THAT(judgement.reason, HasSubstr("5 launches against 5, minimum effect 2 %"));
}

TEST(JudgeLaunches, TooFewLaunchesSayHowMany) {
  const std::vector<double> one{2000};
  const TimeJudgement judgement = judge_launches(one, kStored, 0.02);
  EXPECT_EQ(judgement.state, TimeState::ambiguous);
  EXPECT_EQ(judgement.reason, "1 launch now, 5 stored; at least 5 on each side are needed to judge");
  EXPECT_NEAR(*judgement.ratio, 2, 1e-3);
  EXPECT_EQ(judge_launches(kStored, one, 0.02).reason, "5 launches now, 1 stored; at least 5 on each side are needed to judge");
}

Row timed_row(double time_ns) {
  Row row = test::row(test::kTiledCell, "cuda.tiled", Row::Backend::cuda);
  row.time_state = Row::TimeState::measured;
  row.real_time = time_ns;
  row.device_key = "T4";
  return row;
}

std::vector<TimingBaseline> stored(const std::string& key) {
  TimingBaseline baseline;
  baseline.device.key = key;
  baseline.suite = "nightly";
  baseline.cells[test::kTiledCell] = {kStored, 1000, 990, 50};
  return {baseline};
}

TEST(JudgeTime, UnitMix) {
  const TimeJudgement judgement = judge_time(timed_row(1100), "nightly", [] {
    auto baselines = stored("T4");
    baselines[0].cells[test::kTiledCell] = {{990}, 990, 990, 1};
    return baselines;
  }());
  EXPECT_EQ(judgement.state, TimeState::ambiguous);
  EXPECT_NEAR(*judgement.ratio, 1.111, 1e-3);  // 990 ns, then 1.1 µs
}

TEST(JudgeTime, WithoutABaseline) {
  EXPECT_EQ(judge_time(timed_row(1000), "nightly", {}).state, TimeState::incomparable);
  EXPECT_EQ(judge_time(timed_row(1000), "nightly", {}).reason, "no times are stored yet");
  EXPECT_EQ(judge_time(timed_row(1000), "nightly", stored("H200")).state, TimeState::incomparable);
  EXPECT_THAT(judge_time(timed_row(1000), "nightly", stored("H200")).reason, HasSubstr("\"H200\""));
  EXPECT_EQ(judge_time(timed_row(1000), "pr", stored("T4")).state, TimeState::incomparable);
  Row other = timed_row(1000);
  other.id = "another";
  EXPECT_EQ(judge_time(other, "nightly", stored("T4")).state, TimeState::incomparable);
  Row nameless = timed_row(1000);
  nameless.device_key.reset();
  EXPECT_EQ(judge_time(nameless, "nightly", stored("T4")).state, TimeState::incomparable);
}

TEST(JudgeTime, TimesThatAreNone) {
  for (const double time : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(judge_time(timed_row(time), "nightly", stored("T4")).state, TimeState::invalid) << time;
  }
  Row row = timed_row(1);
  row.real_time.reset();
  EXPECT_EQ(judge_time(row, "nightly", stored("T4")).state, TimeState::invalid);
}

TEST(JudgeTime, UnmeasuredSaysWhy) {
  Row row = timed_row(1000);
  row.time_state = Row::TimeState::unmeasured;
  row.time_reason = "--no-timing";
  EXPECT_EQ(judge_time(row, "nightly", stored("T4")).reason, "--no-timing");
  row.state = Row::State::skipped;
  row.real_time = 0e-20;
  EXPECT_EQ(judge_time(row, "nightly", stored("T4")).state, TimeState::unmeasured);
}

}  // namespace
}  // namespace narrowgate
