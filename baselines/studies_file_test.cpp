// studies.json: its text for a small record, and what is refused before anything is written.
#include "baselines/studies_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace narrowgate {
namespace {

using testing::HasSubstr;

StudyRecord small() {
  StudyRecord study;
  study.id = "small";
  study.title = "Is it small?";
  study.finding = "It is 2.";
  study.x = {"size", "elements", StudyRecord::Scale::log, {1, 2}, {}};
  study.y = {"error", "", StudyRecord::Scale::log};
  study.series = {{"a", {0.5, std::nullopt}, 0}};
  study.source = "nowhere";
  return study;
}

std::string refusal(const StudyRecord& study) {
  const auto text = studies_text({"0.1.0", "", {study}}, "studies.json");
  return text ? "accepted" : text.error().message;
}

TEST(StudiesFile, OneStudyALine) {
  const auto text = studies_text({"0.1.0", "", {small()}}, "studies.json");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text,
            "{\n\"schema\": \"narrowgate.studies/1\",\n\"version\": \"0.1.0\",\n\"git_commit\": null,\n\"studies\": [\n"
            R"({"id":"small","title":"Is it small?","state":"measured","finding":"It is 2.",)"
            R"("x":{"label":"size","unit":"elements","scale":"log","numbers":[1.0,2.0],"names":[]},)"
            R"("y":{"label":"error","unit":"","scale":"log"},)"
            R"("series":[{"name":"a","y":[0.5,null],"marked":0}],"notes":[],"source":"nowhere"})"
            "\n]\n}\n");
}

TEST(StudiesFile, ValuesThatAreNotFiniteAreRefused) {
  StudyRecord study = small();
  study.series[0].y[0] = std::nan("");
  EXPECT_EQ(refusal(study), "studies.json: /studies/0/series/0/y: expected finite numbers");
}

TEST(StudiesFile, SeriesThatDoNotFitAreRefused) {
  StudyRecord study = small();
  study.series[0].y.push_back(1);
  EXPECT_THAT(refusal(study), HasSubstr("/studies/0/series/0/y: expected one value for each place on x"));
  study = small();
  study.series[0].y = {std::nullopt, std::nullopt};
  EXPECT_THAT(refusal(study), HasSubstr("expected at least one value"));
  study = small();
  study.series[0].marked = 2;
  EXPECT_THAT(refusal(study), HasSubstr("/marked: expected a place on x"));
  study = small();
  study.series[0].y[0] = -1;
  EXPECT_THAT(refusal(study), HasSubstr("no negative number on a log axis"));
}

TEST(StudiesFile, AxesThatContradictThemselvesAreRefused) {
  StudyRecord study = small();
  study.x.numbers = {2, 2};
  EXPECT_THAT(refusal(study), HasSubstr("/x/numbers: expected ascending numbers"));
  study = small();
  study.x.names = {"one"};
  EXPECT_THAT(refusal(study), HasSubstr("/x/names: expected one for each number"));
  study = small();
  study.x.scale = StudyRecord::Scale::categories;
  EXPECT_THAT(refusal(study), HasSubstr("/x: expected numbers, or names alone"));
}

TEST(StudiesFile, MeasuredMeansThatThereAreSeries) {
  StudyRecord study = small();
  study.series.clear();
  EXPECT_THAT(refusal(study), HasSubstr("/series: expected some where it is measured"));
  study.state = StudyRecord::State::not_measured;
  EXPECT_EQ(refusal(study), "accepted");
}

TEST(StudiesFile, TheSchemaIsAskedToo) {
  StudyRecord study = small();
  study.id = "Not An Id";
  EXPECT_THAT(refusal(study), HasSubstr("/studies/0/id: expected text of the form"));
  const auto none = studies_text({"0.1.0", "", {}}, "studies.json");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("/studies: expected at least 1 items"));
}

TEST(StudiesFile, AStudyGivenTwiceIsRefused) {
  const auto text = studies_text({"0.1.0", "", {small(), small()}}, "studies.json");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "studies.json: /studies/1/id: given twice");
}

}  // namespace
}  // namespace narrowgate
