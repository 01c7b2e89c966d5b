// Stored baselines: stable bytes, exact values, and no damage that goes unseen.
#include "baselines/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/text_file.h"
#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using test::error_of;
using test::replaced;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kStored =
    "{\n\"schema\": \"narrowgate.accuracy/1\",\n\"family\": \"int8\",\n\"cases\": {\n"
    "\"int8.column/256x256x256/day98/s1\": {\"digest\":\"0123456789abcdef0123456789abcdef\","
    "\"max_abs_err\":[\"0x1p-1\",0.5],\"mean_abs_err\":[\"0x1p-4\",0.0625],"
    "\"rms_err\":[\"0x1.999999999999ap-4\",0.1],\"worst_row\":3,\"worst_col\":17,"
    "\"bound_fraction\":[\"0x1.8p-1\",0.75]}\n}\n}\n";

std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("int8.json", text);
  const std::string message = error_of(load_accuracy(folder.path("")));
  EXPECT_EQ(folder.read("int8.json"), text) << "a file that was not understood was touched";
  return message;
}

TEST(AccuracyBaseline, WritesStableBytes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_accuracy(folder.path(""), test::baseline()));
  EXPECT_EQ(folder.read("int8.json"), kStored);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AccuracyBaseline, ReadsWhatItWrites) {
  const TemporaryFolder folder;
  AccuracyBaseline baseline = test::baseline();
  baseline.cases["fp32.chain/1x1x1/day98/s1"] = test::line();
  baseline.cases["fp32.chain/1x1x1/day98/s1"].family = "fp32";
  baseline.cases["int8.column/1x1x1/day98/s1"] = test::line();
  baseline.cases["int8.column/1x1x1/day98/s1"].rms_err = 1.0 / 3;
  ASSERT_TRUE(save_accuracy(folder.path(""), baseline));
  const auto read = load_accuracy(folder.path(""));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cases.size(), 3u);
  EXPECT_EQ(read->cases.at("int8.column/1x1x1/day98/s1").rms_err, 1.0 / 3);
  EXPECT_EQ(read->cases.at("fp32.chain/1x1x1/day98/s1").family, "fp32");
}

TEST(AccuracyBaseline, UnchangedFilesAreNotTouched) {
  const TemporaryFolder folder;
  const std::string path = folder.write("int8.json", kStored);
  const auto before = std::filesystem::last_write_time(path) - std::chrono::hours(1);
  std::filesystem::last_write_time(path, before);
  ASSERT_TRUE(save_accuracy(folder.path(""), test::baseline()));
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
}

TEST(AccuracyBaseline, AnEmptyFolderIsEmptyAndAMissingOneIsAnError) {
  const TemporaryFolder folder;
  const auto empty = load_accuracy(folder.path(""));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->cases.empty());
  EXPECT_THAT(error_of(load_accuracy(folder.path("absent"))), HasSubstr("absent: no such folder"));
}

TEST(AccuracyBaseline, HandEditsAreSeen) {
  EXPECT_THAT(refusal(replaced(kStored, ",0.5]", ",0.6]")),
              HasSubstr("/cases/int8.column~1256x256x256~1day98~1s1/max_abs_err: \"0x1p-1\" is 0.5, but the decimal "
                        "beside it is 0.6; edited by hand?"));
  EXPECT_THAT(refusal(replaced(kStored, "0x1p-1", "0x1p-2")), HasSubstr("edited by hand?"));
  EXPECT_THAT(refusal(replaced(kStored, "0x1.8p-1", "0x1.80p-1")), HasSubstr("not a hex float as this program writes it"));
  EXPECT_THAT(refusal(replaced(kStored, "0x1.8p-1", "nan")), HasSubstr("/bound_fraction/0: expected text of the form"));
  EXPECT_THAT(refusal(replaced(kStored, "0x1.8p-1", "0x1p+9999")), HasSubstr("not a hex float"));
  EXPECT_THAT(refusal(replaced(kStored, "\"family\": \"int8\"", "\"family\": \"fp8\"")),
              HasSubstr("/family: expected \"int8\", the name of the file, found \"fp8\""));
}

TEST(AccuracyBaseline, DamageIsSeen) {
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal(kStored.substr(0, 200)), HasSubstr("line 5, column "));
  EXPECT_THAT(refusal("{\"benchmarks\": []}"), HasSubstr("the member \"schema\" is missing"));
  EXPECT_THAT(refusal(replaced(kStored, "accuracy/1", "accuracy/2")), HasSubstr("needs a newer narrowgate"));
  EXPECT_THAT(refusal(replaced(kStored, ",0.5]", ",NaN]")), HasSubstr("NaN is not JSON"));
}

TEST(AccuracyBaseline, LinesAscend) {
  const std::size_t start = kStored.find("\"int8.column/");
  const std::string line = kStored.substr(start, kStored.find('\n', start) - start);
  const std::string earlier = replaced(line, "int8.column", "int8.aaa");
  EXPECT_THAT(refusal(replaced(kStored, line, line + ",\n" + earlier)),
              HasSubstr("/cases/int8.aaa~1256x256x256~1day98~1s1: not in ascending order of the names"));
  EXPECT_THAT(refusal(replaced(kStored, line, line + ",\n" + line)), HasSubstr("the key occurs twice"));
}

TEST(AccuracyBaseline, ACaseStandsInOneFile) {
  const TemporaryFolder folder;
  folder.write("int8.json", kStored);
  folder.write("w4a16.json", replaced(kStored, "\"family\": \"int8\"", "\"family\": \"w4a16\""));
  EXPECT_THAT(error_of(load_accuracy(folder.path(""))), HasSubstr("the case also stands in int8.json"));
}

TEST(AccuracyBaseline, RefusesToWriteWhatItWouldNotRead) {
  const TemporaryFolder folder;
  AccuracyBaseline baseline = test::baseline();
  baseline.cases.begin()->second.digest = "short";
  EXPECT_THAT(error_of(save_accuracy(folder.path(""), baseline)), HasSubstr("/digest: expected text of the form"));
  baseline = test::baseline();
  baseline.cases.begin()->second.family = "../int8";
  EXPECT_THAT(error_of(save_accuracy(folder.path(""), baseline)), HasSubstr("cannot name a file"));
  EXPECT_EQ(folder.files(), 0u);
}

TimingBaseline timing() {
  TimingBaseline baseline;
  baseline.device = {"Tesla T4|40|sm_75", "Tesla T4", 40, "sm_75", "580", "13.0"};
  baseline.suite = "nightly";
  baseline.date = "2026-11-30";
  baseline.cells[test::kTiledCell] = {{1000, 1010, 990}, 1000, 950, 30};
  return baseline;
}

TEST(TimingBaseline, ReadsWhatItWrites) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_timing(folder.path("timing"), timing()));
  const auto read = load_timing(folder.path("timing"));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().device.key, "Tesla T4|40|sm_75");
  EXPECT_EQ(read->front().git_commit, std::nullopt);
  EXPECT_EQ(read->front().cells.at(test::kTiledCell).launches, (std::vector<double>{1000, 1010, 990}));
  EXPECT_EQ(read->front().cells.at(test::kTiledCell).samples, 30);
}

TEST(TimingBaseline, NoFolderIsNoBaselineYet) {
  const TemporaryFolder folder;
  const auto read = load_timing(folder.path("absent"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

TEST(TimingBaseline, FilesInTheWrongPlaceAreRefused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_timing(folder.path("timing"), timing()));
  const std::string device = "timing/" + device_folder("Tesla T4|40|sm_75");
  std::filesystem::rename(folder.path(device), folder.path("timing/other"));
  EXPECT_THAT(error_of(load_timing(folder.path("timing"))), HasSubstr("belongs into the folder Tesla_T4_40_sm_75-"));
  std::filesystem::rename(folder.path("timing/other"), folder.path(device));
  std::filesystem::rename(folder.path(device + "/nightly.json"), folder.path(device + "/pr.json"));
  EXPECT_THAT(error_of(load_timing(folder.path("timing"))), HasSubstr("/suite: expected \"pr\""));
}

TEST(TimingBaseline, TimesAreAboveZero) {
  const TemporaryFolder folder;
  TimingBaseline baseline = timing();
  baseline.cells[test::kTiledCell].median_ns = 0;
  EXPECT_THAT(error_of(save_timing(folder.path("timing"), baseline)), HasSubstr("/median_ns: expected more than 0, found 0"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(DeviceFolder, IsAPlainNameAndKeepsKeysApart) {
  EXPECT_EQ(device_folder("cpu-8-AVX2"), "cpu-8-AVX2");
  EXPECT_NE(device_folder("a b"), device_folder("a/b"));
  EXPECT_THAT(device_folder("../../etc"), testing::StartsWith("_._.._etc-"));
  EXPECT_THAT(device_folder(""), testing::StartsWith("-"));
  EXPECT_LT(device_folder(std::string(10240, 'x')).size(), 100u);
}

TEST(Published, IsCarriedAsItStands) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_published(folder.write("p.json", "{ \"rows\": [[256, \"a\", null]] }")), "{\"rows\":[[256,\"a\",null]]}");
  EXPECT_THAT(error_of(load_published(folder.write("q.json", "[]"))), HasSubstr("expected an object"));
  EXPECT_THAT(error_of(load_published(folder.path("absent"))), HasSubstr("no such file"));
}

const std::string kStoredFractions =
    "{\n\"schema\": \"narrowgate.bounded/1\",\n\"device_key\": \"simt\",\n\"cells\": {\n"
    "\"fp32.chain/simt.splitk/1x1x1/day98/s1\": [\"0x1p-3\",0.125],\n"
    "\"fp32.chain/simt.splitk/2x1x1/day98/s1\": [\"0x1.5555555555555p-2\",0.333333]\n}\n}\n";

BoundedBaseline fractions() {
  BoundedBaseline baseline;
  baseline.devices["simt"] = {{"fp32.chain/simt.splitk/2x1x1/day98/s1", 1.0 / 3},
                              {"fp32.chain/simt.splitk/1x1x1/day98/s1", 0.125}};
  return baseline;
}

TEST(BoundedBaseline, WritesStableBytesAndReadsThem) {
  const TemporaryFolder folder;
  BoundedBaseline baseline = fractions();
  baseline.devices["Tesla T4|40|sm_75"] = {{"cell", 0.5}};
  ASSERT_TRUE(save_bounded(folder.path("bounded"), baseline));
  EXPECT_EQ(folder.read("bounded/simt.json"), kStoredFractions);
  const auto read = load_bounded(folder.path("bounded"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->devices, baseline.devices);
}

TEST(BoundedBaseline, AMissingFolderHasNoLines) {
  const TemporaryFolder folder;
  EXPECT_TRUE(load_bounded(folder.path("bounded"))->devices.empty());
  ASSERT_TRUE(save_bounded(folder.path("bounded"), {}));
  EXPECT_EQ(folder.files(), 0u) << "nothing to store is no folder";
}

TEST(BoundedBaseline, RefusesWhatNoRunWrites) {
  const auto refused = [](const std::string& text, const std::string& name = "simt.json") {
    const TemporaryFolder folder;
    folder.write(name, text);
    return error_of(load_bounded(folder.path("")));
  };
  EXPECT_THAT(refused(replaced(kStoredFractions, "0.333333", "0.25")), HasSubstr("edited by hand?"));
  EXPECT_THAT(refused(replaced(kStoredFractions, "[\"0x1p-3\",0.125]", "[\"0x1p+1\",2]")),
              HasSubstr("a fraction from 0 to 1"));
  EXPECT_THAT(refused(kStoredFractions, "other.json"),
              HasSubstr("/device_key: a file of this key is called simt.json"));
  EXPECT_THAT(refused(replaced(kStoredFractions, "1x1x1", "3x1x1")), HasSubstr("simt.json"));  // out of order
}

}  // namespace
}  // namespace narrowgate
