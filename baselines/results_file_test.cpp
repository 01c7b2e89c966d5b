// results.json: what is written is read back field by field, and what is not sound is neither read nor written.
#include "baselines/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using test::error_of;
using test::replaced;
using test::TemporaryFolder;
using testing::HasSubstr;

std::string text_of(const Results& results) {
  const TemporaryFolder folder;
  const auto written = write_results(folder.path("results.json"), results);
  EXPECT_TRUE(written) << written.error().message;
  return folder.read("results.json");
}

std::string refusal(const std::string& text) { return error_of(parse_results(text, "results.json")); }

std::string write_refusal(const Results& results) {
  const TemporaryFolder folder;
  const std::string message = error_of(write_results(folder.path("results.json"), results));
  EXPECT_EQ(folder.files(), 0u) << "a refused file was written";
  return message;
}

TEST(Results, RoundTripKeepsEveryBit) {
  Results results = test::results();
  Row& row = results.benchmarks[0];
  row.rms_err = 0.1 + 0.2;
  row.real_time = 1234.5;
  row.samples_ns = {1, 2.5, 1e9};
  row.column_bound_fraction = {0, 0.25, 1000};
  row.time_state = Row::TimeState::measured;
  row.gates[3].state = GateResult::State::fail;
  row.gates[3].value = std::nan("");
  row.gates[3].bound = 0.125;
  row.gates[3].row = 7;
  row.gates[2].decides = false;
  results.cases[0].seed = 18446744073709551615u;
  results.context.environment = {{"governor", std::string("performance")}, {"cores", std::int64_t{2}},
                                 {"load", 0.5}, {"smt", true}, {"temperature", std::monostate{}}};
  results.context.other = {{"aslr_enabled", "false"}};
  results.context.caches = {{"Data", 1, 32768, 2}};
  const std::string text = text_of(results);
  const auto read = parse_results(text, "results.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->manifest, results.manifest);
  EXPECT_EQ(read->benchmarks[0].rms_err, 0.30000000000000004);
  EXPECT_EQ(read->benchmarks[0].samples_ns, row.samples_ns);
  EXPECT_EQ(read->benchmarks[0].column_bound_fraction, row.column_bound_fraction);
  EXPECT_EQ(read->benchmarks[0].digest, test::kDigest);
  EXPECT_TRUE(std::isnan(*read->benchmarks[0].gates[3].value));
  EXPECT_FALSE(read->benchmarks[0].gates[2].decides);
  EXPECT_EQ(read->benchmarks[1].backend, Row::Backend::cuda);
  EXPECT_EQ(read->benchmarks[1].real_time, std::nullopt);
  EXPECT_EQ(read->cases[0].seed, 18446744073709551615u);
  EXPECT_EQ(read->cases[0].column_max_abs_err[1], std::nullopt);
  EXPECT_EQ(read->context.environment, results.context.environment);
  EXPECT_EQ(read->context.git_dirty, false);
  EXPECT_EQ(text_of(*read), text);
}

TEST(Results, OneRowALine) {
  const std::string text = text_of(test::results());
  EXPECT_THAT(text, HasSubstr("\"benchmarks\": [\n{\"name\":\"" + test::kScalarCell + "\""));
  EXPECT_THAT(text, HasSubstr("},\n{\"name\":\"" + test::kTiledCell + "\""));
  EXPECT_THAT(text, HasSubstr("\"manifest\": [\n\"" + test::kScalarCell + "\",\n"));
}

TEST(Results, IsASupersetOfGoogleBenchmark) {
  const auto json = nlohmann::json::parse(text_of(test::results()));
  for (const char* key : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches",
                          "load_avg", "library_build_type"}) {
    EXPECT_TRUE(json["context"].contains(key)) << key;
  }
  EXPECT_EQ(json["benchmarks"][0]["run_type"], "iteration");
  EXPECT_EQ(json["benchmarks"][0]["time_unit"], "ns");
}

TEST(Results, AnEmptyRunIsWellFormed) {
  Results results;
  results.context = test::context();
  ASSERT_TRUE(parse_results(text_of(results), "results.json"));
}

TEST(Results, IdsStandOnce) {
  Results twice = test::results();
  twice.benchmarks.push_back(twice.benchmarks[0]);
  EXPECT_THAT(write_refusal(twice), HasSubstr("results.json: /benchmarks/0 and /benchmarks/2: both are \"int8.column/"));
  twice = test::results();
  twice.manifest.push_back(test::kScalarCell);
  EXPECT_THAT(write_refusal(twice), HasSubstr("/manifest/0 and /manifest/2"));
  twice = test::results();
  twice.cases.push_back(twice.cases[0]);
  EXPECT_THAT(write_refusal(twice), HasSubstr("/cases/0 and /cases/1"));
}

TEST(Results, RowsBelongToTheManifest) {
  Results results = test::results();
  results.manifest.pop_back();
  EXPECT_THAT(write_refusal(results), HasSubstr("/benchmarks/1/id: \"int8.column/cuda.tiled/256x256x256/day98/s1\" is "
                                                "not in the manifest"));
}

TEST(Results, AMetricIsNullOnlyWhereSomethingIsNotFinite) {
  Results results = test::results();
  results.benchmarks[0].nonfinite = 2;
  results.benchmarks[0].max_abs_err.reset();
  const std::string text = text_of(results);
  EXPECT_THAT(text, HasSubstr("\"max_abs_err\":null"));
  EXPECT_EQ(parse_results(text, "results.json")->benchmarks[0].max_abs_err, std::nullopt);
  EXPECT_THAT(refusal(replaced(text, "\"nonfinite\":2", "\"nonfinite\":0")),
              HasSubstr("/benchmarks/0/max_abs_err: null means a value that is not finite, but nonfinite is not above 0"));
  results.benchmarks[0].nonfinite = 0;
  results.benchmarks[0].max_abs_err = std::nan("");
  EXPECT_THAT(write_refusal(results), HasSubstr("/benchmarks/0/max_abs_err: null"));
}

TEST(Results, ContentErrorsHaveAPointer) {
  const std::string text = text_of(test::results());
  EXPECT_THAT(refusal(replaced(text, "\"backend\":\"cpu\"", "\"backend\":\"gpu\"")),
              HasSubstr("results.json: /benchmarks/0/backend: expected one of \"cpu\", \"simt\", \"cuda\", found \"gpu\""));
  EXPECT_THAT(refusal(replaced(text, "\"digest\":\"0", "\"digest\":\"X")), HasSubstr("/benchmarks/0/digest: expected text"));
  EXPECT_THAT(refusal(replaced(text, "\"worst_row\":3", "\"worst_row\":18446744073709551615")),
              HasSubstr("/benchmarks/0/worst_row: expected an integer of 64 bits"));
  EXPECT_THAT(refusal(replaced(text, "\"worst_row\":3", "\"worst_row\":1e30")), HasSubstr("/benchmarks/0/worst_row"));
  EXPECT_THAT(refusal(replaced(text, "{\"gate\":\"Q\"", "{\"gate\":\"guards\"")), HasSubstr("the gate guards occurs twice"));
  EXPECT_THAT(refusal(replaced(text, "\"rms_err\":0.1", "\"rms_err\":NaN")), HasSubstr("NaN is not JSON"));
  EXPECT_THAT(refusal(replaced(text, "\"column_first\":[0,128]", "\"column_first\":[0]")),
              HasSubstr("/cases/0/column_first: the lists of columns differ in length"));
  EXPECT_THAT(refusal(replaced(text, "results/1", "results/2")), HasSubstr("needs a newer narrowgate"));
}

TEST(Results, EveryTruncationIsRefused) {
  const std::string text = text_of(test::results());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    EXPECT_FALSE(parse_results(text.substr(0, length), "results.json")) << length;
  }
}

TEST(Results, DecimalPointInEveryLocale) {
  const std::string in_c = text_of(test::results());
  const test::DecimalComma comma;
  EXPECT_EQ(text_of(test::results()), in_c);
  EXPECT_EQ(parse_results(in_c, "results.json")->benchmarks[0].rms_err, 0.1);
}

}  // namespace
}  // namespace narrowgate
