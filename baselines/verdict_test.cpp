// verdict.json: read back as it was written, and refused where it contradicts itself.
#include "baselines/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/compare.h"
#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using test::error_of;
using test::replaced;
using testing::HasSubstr;

Verdict example() {
  Results results = test::results();
  results.benchmarks[0].digest = test::kOtherDigest;
  results.manifest.push_back("gone");
  CompareOptions options;
  options.results_xxh3 = "99aa06d3014798d86001c324468d497f";
  options.published = "{\"rows\":[]}";
  return compare(results, test::baseline(), {}, {}, options).value();
}

TEST(Verdict, RoundTrip) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("verdict.json");
  ASSERT_TRUE(write_verdict(path, example()));
  const auto read = read_verdict(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->exit_code, 1);
  EXPECT_EQ(read->sentence, "Error gate FAIL, 1 of 3 cells: 1 changed; 1 missing. Time: not measured.");
  EXPECT_EQ(read->cells.size(), 3u);
  EXPECT_EQ(read->cells[0].state, ErrorState::changed);
  EXPECT_EQ(read->cells[0].row->digest, test::kOtherDigest);
  EXPECT_EQ(read->cells[0].baseline->digest, test::kDigest);
  EXPECT_EQ(read->cells[0].baseline->rms_err, 0.1);
  EXPECT_FALSE(read->cells[2].row);
  EXPECT_EQ(read->counts[ErrorState::missing], 1);
  EXPECT_EQ(read->baseline.published, "{\"rows\":[]}");
  EXPECT_EQ(read->results[0].xxh3, "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(verdict_text(*read), folder.read("verdict.json"));
}

TEST(Verdict, EmbedsTheRowAsItStands) {
  const std::string text = verdict_text(example()).value();
  EXPECT_THAT(text, HasSubstr("\"row\":{\"name\":\"" + test::kScalarCell + "\",\"run_name\":"));
  EXPECT_THAT(text, HasSubstr("\"row\":null,\"baseline\":null"));
  EXPECT_THAT(text, HasSubstr("\"baseline\":{\"digest\":\"" + test::kDigest + "\",\"max_abs_err\":[\"0x1p-1\",0.5]"));
}

TEST(Verdict, ContradictionsAreRefused) {
  const std::string text = verdict_text(example()).value();
  const auto refusal = [](const std::string& changed) { return error_of(parse_verdict(changed, "verdict.json")); };
  EXPECT_THAT(refusal(replaced(text, "\"CHANGED\":1", "\"CHANGED\":0")), HasSubstr("/counts/total: the states do not add up"));
  EXPECT_THAT(refusal(replaced(text, "\"state\":\"CHANGED\"", "\"state\":\"CHANGD\"")),
              HasSubstr("/cells/0/state: expected one of"));
  EXPECT_THAT(refusal(replaced(text, "\"backend\":\"cpu\"", "\"backend\":\"gpu\"")), HasSubstr("/cells/0/row/backend"));
  EXPECT_THAT(refusal(replaced(text, "\"exit_code\": 1", "\"exit_code\": 7")), HasSubstr("/exit_code: expected one of 0, 1"));
  EXPECT_THAT(refusal(replaced(text, "verdict/1", "verdict/9")), HasSubstr("needs a newer narrowgate"));
}

}  // namespace
}  // namespace narrowgate
