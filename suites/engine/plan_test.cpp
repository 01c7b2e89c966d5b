// From a suite's text to cells: ids, products, limits, layouts, and what is refused.
#include "suites/engine/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgate {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string suite_text(const std::string& entries, const std::string& rest = "") {
  return R"({"schema": "narrowgate.suite/1", "name": "t", "description": "", "cases": [)" + entries + "]" + rest + "}";
}

std::string entry(const std::string& schemes, const std::string& shapes, const std::string& seeds = "1") {
  return R"({"schemes": [)" + schemes + R"(], "shapes": [)" + shapes + R"(], "distributions": ["day98"], "seeds": [)" + seeds + "]}";
}

tl::expected<std::vector<Cell>, Error> plan_text(const std::string& text, PlanOptions options = {{Backend::kCpu}, ""}) {
  const auto suite = parse_suite(text, "t.json");
  if (!suite) return tl::unexpected(suite.error());
  return plan(*suite, options);
}

std::vector<std::string> ids(const tl::expected<std::vector<Cell>, Error>& cells) {
  std::vector<std::string> result;
  if (!cells) return {cells.error().message};
  for (const Cell& cell : *cells) result.push_back(cell.id());
  return result;
}

TEST(ParseShape, PlainAndWithALayout) {
  EXPECT_EQ(parse_shape("256x128x64")->shape, (Shape{256, 128, 64}));
  const auto padded = parse_shape("33x65x129+ld7+off3");
  EXPECT_EQ(padded->layout, (Layout{7, 3}));
  EXPECT_EQ(shape_text(padded->shape, padded->layout), "33x65x129+ld7+off3");
}

TEST(ParseShape, RefusesWhatIsNotOne) {
  for (const char* text : {"", "256", "256x256", "0x1x1", "-1x1x1", "1x1x1x", "1x1x1+off3+ld7", "1x1x1+ld", "1x1x1+ld0", "1X1X1",
                           "1x1x99999999999"}) {
    const auto shape = parse_shape(text);
    ASSERT_FALSE(shape) << text;
    EXPECT_THAT(shape.error().message, HasSubstr("expected MxNxK"));
  }
}

TEST(Plan, IsTheProductOfSchemesShapesSeedsAndKernels) {
  EXPECT_THAT(ids(plan_text(suite_text(entry(R"("fp32.chain", "int8.column")", R"("4x5x6", "4x5x6+ld1")", "1, 2")))),
              AllOf(testing::SizeIs(16), testing::Contains("fp32.chain/cpu.scalar/4x5x6/day98/s1"),
                    testing::Contains("int8.column/cpu.simd/4x5x6+ld1/day98/s2")));
}

TEST(Plan, ALayoutSharesTheCaseOfItsPlainShape) {
  const auto cells = plan_text(suite_text(entry(R"("fp32.chain")", R"("4x5x6+ld7+off3")")));
  EXPECT_EQ((*cells)[0].of.id(), "fp32.chain/4x5x6/day98/s1");
}

TEST(Plan, FiltersLimitsAndTiming) {
  const std::string rest = R"(, "limits": [{"kernels": "cpu.scalar", "largest_dimension": 16}],
      "timing": {"kernels": ["cpu.simd"], "smallest_dimension": 8, "budget_ms": 1})";
  const std::string text = suite_text(entry(R"("fp32.chain")", R"("4x4x16", "8x8x17")"), rest);
  EXPECT_THAT(ids(plan_text(text)), ElementsAre("fp32.chain/cpu.scalar/4x4x16/day98/s1", "fp32.chain/cpu.simd/4x4x16/day98/s1",
                                                "fp32.chain/cpu.simd/8x8x17/day98/s1"));
  const auto filtered = plan_text(text, {{Backend::kCpu, Backend::kSimt}, "*/8x8x17/*"});
  EXPECT_THAT(ids(filtered),
              ElementsAre("fp32.chain/cpu.simd/8x8x17/day98/s1", "fp32.chain/simt.tiled/8x8x17/day98/s1",
                          "fp32.chain/simt.regtile/8x8x17/day98/s1", "fp32.chain/simt.splitk/8x8x17/day98/s1"));
  EXPECT_TRUE((*filtered)[0].timed);
  EXPECT_FALSE((*filtered)[1].timed);
}

TEST(Plan, RefusesUnknownNamesAndSuggestsTheNearest) {
  EXPECT_THAT(ids(plan_text(suite_text(entry(R"("int8.colum")", R"("1x1x1")"))))[0],
              AllOf(HasSubstr("t.json: /cases/0"), HasSubstr("no scheme matches \"int8.colum\""), HasSubstr("int8.column")));
  EXPECT_THAT(ids(plan_text(suite_text(R"({"schemes": ["*"], "shapes": ["1x1x1"], "distributions": ["normall"], "seeds": [1]})")))[0],
              AllOf(HasSubstr("no distribution \"normall\""), HasSubstr("\"normal\"")));
}

TEST(Plan, RefusesACellThatIsPlannedTwice) {
  EXPECT_THAT(ids(plan_text(suite_text(entry(R"("fp32.*", "fp32.chain")", R"("1x1x1")"))))[0], HasSubstr("planned twice"));
}

TEST(Plan, LeavesOutSchemesAndKernelsThatTheEntryDoes) {
  const std::string text = suite_text(R"({"schemes": ["fp32.*"], "except": ["*.bias", "*.f16out"], "kernels": ["cpu.simd"],
      "grid": {"m": [1, 2], "n": [3], "k": [4]}, "distributions": ["day98"], "seeds": [1]})");
  EXPECT_THAT(ids(plan_text(text)), ElementsAre("fp32.chain/cpu.simd/1x3x4/day98/s1", "fp32.lanes/cpu.simd/1x3x4/day98/s1",
                                                "fp32.chain/cpu.simd/2x3x4/day98/s1", "fp32.lanes/cpu.simd/2x3x4/day98/s1"));
}

TEST(Plan, IncludedSuitesComeFirstAndSharedCellsOnce) {
  const std::string text = R"({"schema": "narrowgate.suite/1", "name": "t", "description": "", "includes": ["smoke"], "cases": [)" +
                           entry(R"("fp32.chain")", R"("33x65x129", "1x1x1")") + "]}";
  const auto cells = plan_text(text), smoke = plan(*find_suite("smoke"), {{Backend::kCpu}, ""});
  EXPECT_EQ(cells->size(), smoke->size() + 2);  // 33x65x129 is in smoke
  EXPECT_EQ((*cells)[0].id(), (*smoke)[0].id());
  EXPECT_THAT(ids(plan_text(R"({"schema": "narrowgate.suite/1", "name": "t", "description": "", "includes": ["smok"]})"))[0],
              AllOf(HasSubstr("/includes"), HasSubstr("smoke")));
}

TEST(Suite, ParametersReplaceTheListsOfAParametricSuiteOnly) {
  const SuiteParameters parameters{{"int8.token"}, {"2x3x4"}, {"heavy"}, {7}};
  const auto sweep = with_parameters(*find_suite("sweep"), parameters);
  EXPECT_THAT(ids(plan(*sweep, {{Backend::kCpu}, ""})),
              ElementsAre("int8.token/cpu.scalar/2x3x4/heavy/s7", "int8.token/cpu.simd/2x3x4/heavy/s7"));
  EXPECT_THAT(with_parameters(*find_suite("pr"), parameters).error().message, HasSubstr("fixed cases"));
}

TEST(Suite, RefusesWhatItsSchemaRefuses) {
  EXPECT_THAT(parse_suite(R"({"schema": "narrowgate.suite/1", "name": "t", "description": "", "casses": []})", "t.json").error().message,
              AllOf(HasSubstr("t.json"), HasSubstr("casses")));
  EXPECT_FALSE(parse_suite("", "t.json"));
  EXPECT_FALSE(parse_suite(suite_text(""), "t.json")) << "a suite without cases measures nothing";
}

TEST(Suite, EveryBuiltInSuitePlansAndAMisspeltOneSuggests) {
  for (const std::string& name : built_in_suites()) {
    const auto suite = find_suite(name);
    ASSERT_TRUE(suite) << suite.error().message;
    EXPECT_EQ(suite->name, name);
    const auto cells = plan(*suite, {{Backend::kCpu, Backend::kSimt, Backend::kCuda}, ""});
    ASSERT_TRUE(cells) << cells.error().message;
    EXPECT_FALSE(cells->empty());
  }
  EXPECT_THAT(find_suite("smok").error().message, HasSubstr("\"smoke\""));
}

}  // namespace
}  // namespace narrowgate
