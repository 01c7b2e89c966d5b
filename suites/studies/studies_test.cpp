// The studies as a whole: records that the file accepts, the same each time, and findings known from elsewhere.
#include "suites/studies/studies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>

#include "kernels/kernel.h"

namespace narrowgate::studies {
namespace {

using testing::HasSubstr;

class EveryStudyTest : public testing::TestWithParam<Study> {};

TEST_P(EveryStudyTest, MakesARecordThatTheFileAccepts) {
  const StudyRecord study = GetParam().run({});
  EXPECT_EQ(study.id, GetParam().id);
  EXPECT_EQ(study.title.back(), '?');
  EXPECT_EQ(study.finding.back(), '.');
  const auto text = studies_text({"0.1.0", "", {study}}, "studies.json");
  EXPECT_TRUE(text) << text.error().message;
}

TEST_P(EveryStudyTest, IsTheSameForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = studies_text({"0.1.0", "", {GetParam().run({})}}, "studies.json");
  omp_set_num_threads(3);
  const auto three = studies_text({"0.1.0", "", {GetParam().run({})}}, "studies.json");
  omp_set_num_threads(threads);
  EXPECT_EQ(*one, *three);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStudyTest, testing::ValuesIn(all_studies().begin(), all_studies().end()),
                         [](const auto& instance) { return std::string(instance.param.id); });

StudyRecord run(std::string_view id, const StudyInputs& inputs = {}) { return find_study(id)->run(inputs); }

TEST(Studies, AreFoundByName) {
  EXPECT_EQ(find_study("clipping")->id, "clipping");
  EXPECT_EQ(find_study("clippings"), nullptr);
}

TEST(Studies, ClippingFindsTheKnownOptima) {
  const StudyRecord study = run("clipping");
  const double known[] = {2.5, 3.5, 4.0, 6.9};
  const double nearness[] = {0.25, 0.25, 0.25, 0.6};  // the last is flat, and few samples lie out there
  for (std::size_t i = 0; i < 4; ++i) {
    const double optimum = study.x.numbers[static_cast<std::size_t>(*study.series[i].marked)];
    EXPECT_NEAR(optimum, known[i], nearness[i]) << study.series[i].name;
  }
}

TEST(Studies, ClaimsOfArithmeticHold) {
  const StudyRecord study = run("day98_claims");
  EXPECT_THAT(study.x.names[0], HasSubstr("INT8 largest error"));
  EXPECT_NEAR(*study.series[1].y[0], 3.937e-3, 1e-5);
  EXPECT_NEAR(*study.series[1].y[1], 9.07, 0.03);
  EXPECT_NEAR(*study.series[1].y[2], 2.008, 0.01);
}

TEST(Studies, EverySchemeFamilyHasItsLargeElements) {
  const StudyRecord study = run("large_elements");
  for (const Scheme* scheme : all_schemes()) {
    const bool is_covered = std::any_of(study.x.names.begin(), study.x.names.end(), [&](const std::string& name) {
      return find_scheme(name)->family == scheme->family;
    });
    EXPECT_TRUE(is_covered) << scheme->family;
  }
}

TEST(Studies, BitsPerWeightOfGroups) {
  const StudyRecord study = run("group_size");
  const auto place = std::find(study.x.names.begin(), study.x.names.end(), "group 128") - study.x.names.begin();
  EXPECT_EQ(study.x.numbers[static_cast<std::size_t>(place)], 4.125);
}

TEST(DecodeSpeed, IsNotMeasuredWithoutTimes) {
  const StudyRecord study = run("decode_speed");
  EXPECT_EQ(study.state, StudyRecord::State::not_measured);
  EXPECT_THAT(study.finding, HasSubstr("--results"));
  const StudyRecord empty = run("decode_speed", {Results{}});
  EXPECT_EQ(empty.state, StudyRecord::State::not_measured);
  EXPECT_THAT(empty.finding, HasSubstr("hold no time"));
}

// A timed row of a case m×64×32.
void add_time(Results& results, const std::string& scheme, const std::string& kernel, std::int64_t m, double time_ns) {
  CaseProfile profile;
  profile.id = scheme + "/" + std::to_string(m) + "x64x32/normal/s1";
  profile.scheme = scheme;
  profile.m = m;
  profile.n = 64;
  profile.k = 32;
  Row row;
  row.case_id = profile.id;
  row.scheme = scheme;
  row.kernel = kernel;
  row.time_state = Row::TimeState::measured;
  row.real_time = time_ns;
  results.cases.push_back(profile);
  results.benchmarks.push_back(row);
}

TEST(DecodeSpeed, TakesTheFastestKernelAtEachNumberOfTokens) {
  Results results;
  add_time(results, "w4", "cuda.warp", 1, 2000);
  add_time(results, "w4", "cuda.tiled", 1, 9000);
  add_time(results, "w4", "cuda.tiled", 32, 9500);
  add_time(results, "int8", "cuda.imma", 1, 5000);
  add_time(results, "int8", "cuda.imma", 32, 5500);
  const StudyRecord study = run("decode_speed", {results});
  EXPECT_EQ(study.finding, "Fastest by number of tokens, k = 32, n = 64: w4 at 1 (2 µs, cuda.warp), int8 at 32 (5.5 "
                           "µs, cuda.imma).");
  EXPECT_THAT(study.x.numbers, testing::ElementsAre(1, 32));
  ASSERT_EQ(study.series.size(), 2u);
  EXPECT_EQ(study.series[1].name, "w4");
  EXPECT_THAT(study.series[1].y, testing::ElementsAre(2.0, 9.5));
}

}  // namespace
}  // namespace narrowgate::studies
