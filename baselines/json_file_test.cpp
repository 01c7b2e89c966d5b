// Strict reading: each refusal names the place and what was expected.
#include "baselines/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "baselines/schema.h"
#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using test::error_of;
using testing::HasSubstr;

std::string refusal(const std::string& text, std::string_view schema) { return error_of(parse_json(text, "f.json", schema)); }

const std::string kSuite = R"({"schema": "narrowgate.suite/1", "name": "smoke", "description": "d",
  "cases": [{"schemes": ["int8.*"], "shapes": ["1x1x1"], "distributions": ["day98"], "seeds": [1]}]})";
constexpr std::string_view kSuiteSchema = "suite.schema.json";

TEST(ParseJson, TakesWhatConforms) {
  const auto suite = parse_json(kSuite, "f.json", kSuiteSchema);
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_EQ((*suite)["name"], "smoke");
}

TEST(ParseJson, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_THAT(refusal("{\n  \"a\": 1,\n  \"b\" 2\n}", kNoSchema), HasSubstr("f.json: line 3, column 7: "));
  EXPECT_THAT(refusal("{\"a\": 1", kNoSchema), HasSubstr("f.json: line 1, column 8: "));
  EXPECT_THAT(refusal("{} {}", kNoSchema), HasSubstr("line 1, column 4: "));
  EXPECT_THAT(refusal("  ", kNoSchema), HasSubstr("line 1, column 3: "));
  EXPECT_THAT(refusal("{\"a\": \"\xff\"}", kNoSchema), HasSubstr("UTF-8"));
}

TEST(ParseJson, NaNAndInfinityAreNotJson) {
  for (const std::string word : {"NaN", "-NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"}) {
    const std::string message = refusal("{\"rms_err\": " + word + "}", kNoSchema);
    EXPECT_THAT(message, HasSubstr(word + " is not JSON; a value that is not finite is written as null"));
    EXPECT_THAT(message, HasSubstr("line 1, column "));
  }
}

TEST(ParseJson, NumbersBeyondDoubleAndDecimalCommas) {
  EXPECT_THAT(refusal("[1e999]", kNoSchema), HasSubstr("line 1"));
  EXPECT_THAT(refusal("{\"a\": 1,5}", kNoSchema), HasSubstr("line 1, column 9"));
}

TEST(ParseJson, DuplicateKeysHaveAPointer) {
  EXPECT_THAT(refusal(R"({"a": [{"b": 1}, {"c/d": 1, "c/d": 2}]})", kNoSchema),
              HasSubstr("f.json: /a/1/c~1d: the key occurs twice"));
  EXPECT_THAT(refusal(R"({"a": 1, "a": 1})", kNoSchema), HasSubstr("/a: the key occurs twice"));
}

TEST(ParseJson, NestingIsLimited) {
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "f.json", kNoSchema));
  EXPECT_THAT(refusal(std::string(100000, '['), kNoSchema), HasSubstr("nested deeper than 64 levels"));
}

TEST(Schema, UnknownMemberSuggestsTheNearest) {
  EXPECT_THAT(refusal(test::replaced(kSuite, "\"shapes\"", "\"shape\""), kSuiteSchema),
              HasSubstr("f.json: /cases/0/shape: unknown member. Did you mean \"shapes\"?"));
  EXPECT_THAT(refusal(test::replaced(kSuite, "\"name\"", "\"zzzzzzzzzz\": 1, \"name\""), kSuiteSchema),
              testing::EndsWith("/zzzzzzzzzz: unknown member."));
}

TEST(Schema, ExpectationsInWords) {
  EXPECT_THAT(refusal(test::replaced(kSuite, "\"smoke\"", "7"), kSuiteSchema),
              HasSubstr("/name: expected string, found 7"));
  EXPECT_THAT(refusal(test::replaced(kSuite, "\"smoke\"", "\"Smoke!\""), kSuiteSchema),
              HasSubstr("/name: expected text of the form ^[a-z0-9_]{1,64}$, found \"Smoke!\""));
  EXPECT_THAT(refusal(test::replaced(kSuite, "[1]", "[-1]"), kSuiteSchema),
              HasSubstr("/cases/0/seeds/0: expected at least 0, found -1"));
  EXPECT_THAT(refusal(test::replaced(kSuite, "[1]", "[]"), kSuiteSchema),
              HasSubstr("/cases/0/seeds: expected at least 1 items, found 0"));
  EXPECT_THAT(refusal(test::replaced(kSuite, "[1]", "[1.5]"), kSuiteSchema),
              HasSubstr("/cases/0/seeds/0: expected integer, found 1.5"));
  EXPECT_THAT(refusal(test::replaced(kSuite, ", \"seeds\": [1]", ""), kSuiteSchema),
              HasSubstr("/cases/0: the member \"seeds\" is missing"));
}

TEST(Schema, ATextOfMegabytesIsRefusedByItsPatternWithoutRunningOutOfStack) {
  EXPECT_THAT(refusal(test::replaced(kSuite, "smoke", std::string(4 << 20, 'a')), kSuiteSchema),
              HasSubstr("/name: expected text of the form ^[a-z0-9_]{1,64}$, found \"aaa"));
  EXPECT_TRUE(parse_json(test::replaced(kSuite, "\"d\"", "\"" + std::string(4 << 20, 'a') + "\""), "f.json",
                         kSuiteSchema))
      << "a description has no pattern";
}

TEST(Schema, VersionsAndKinds) {
  EXPECT_THAT(refusal(test::replaced(kSuite, "suite/1", "suite/2"), kSuiteSchema),
              HasSubstr("this program understands \"narrowgate.suite/1\", found \"narrowgate.suite/2\"; a newer version "
                        "needs a newer narrowgate"));
  EXPECT_THAT(refusal(test::replaced(kSuite, "suite/1", "verdict/1"), kSuiteSchema),
              HasSubstr("/schema: expected \"narrowgate.suite/1\", found \"narrowgate.verdict/1\""));
  EXPECT_THAT(refusal("{}", kSuiteSchema), HasSubstr("the member \"schema\" is missing"));
  EXPECT_THAT(refusal("[]", kSuiteSchema), HasSubstr("expected an object of schema \"narrowgate.suite/1\", found []"));
  EXPECT_THAT(refusal(R"({"benchmarks": []})", "results.schema.json"), HasSubstr("the member \"schema\" is missing"));
}

TEST(Schema, AnUnknownSchemaIsAMistakeOfTheProgram) {
  EXPECT_THROW((void)schema_violation(nlohmann::json::object(), "absent.schema.json", 0), std::logic_error);
}

TEST(ReadJson, NamesTheFile) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(error_of(read_json(folder.path("absent.json"), kNoSchema)), HasSubstr("absent.json: no such file"));
  EXPECT_THAT(error_of(read_json(folder.write("empty.json", ""), kNoSchema)), HasSubstr("empty.json: the file is empty"));
  EXPECT_TRUE(read_json(folder.write("suite.json", kSuite), kSuiteSchema));
}

}  // namespace
}  // namespace narrowgate
