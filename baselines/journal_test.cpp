// The journal of a killed run: whole lines count, a torn one is dropped with a notice, damage is refused.
#include "baselines/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using test::error_of;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kPlan = manifest_digest({test::kScalarCell, test::kTiledCell});

std::string written_journal(const TemporaryFolder& folder) {
  const std::string path = Journal::path_beside(folder.path("results.json"));
  auto journal = Journal::start(path, kPlan);
  EXPECT_TRUE(journal) << journal.error().message;
  for (const Row& row : test::results().benchmarks) EXPECT_TRUE(journal->append(row));
  return path;
}

TEST(ManifestDigest, DependsOnNamesOrderAndBoundaries) {
  EXPECT_EQ(manifest_digest({"a", "b"}), manifest_digest({"a", "b"}));
  EXPECT_NE(manifest_digest({"a", "b"}), manifest_digest({"b", "a"}));
  EXPECT_NE(manifest_digest({"a", "b"}), manifest_digest({"ab"}));
  EXPECT_NE(manifest_digest({"a\nb"}), manifest_digest({"a", "b"}));
}

TEST(Journal, ReadsWhatWasAppended) {
  const TemporaryFolder folder;
  const auto contents = Journal::load(written_journal(folder), kPlan);
  ASSERT_TRUE(contents) << contents.error().message;
  ASSERT_EQ(contents->rows.size(), 2u);
  EXPECT_EQ(contents->rows[1].id, test::kTiledCell);
  EXPECT_EQ(contents->rows[0].rms_err, 0.1);
  EXPECT_EQ(contents->notice, std::nullopt);
  EXPECT_THAT(folder.read("results.json.journal"),
              testing::StartsWith("{\"schema\":\"narrowgate.journal/1\",\"manifest_digest\":\"" + kPlan + "\"}\n"));
}

TEST(Journal, ATornLastLineIsDroppedWithANoticeAndCutOff) {
  const TemporaryFolder folder;
  const std::string path = written_journal(folder);
  const std::string whole = folder.read("results.json.journal");
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t length : {last_line + 1, last_line + 100, whole.size() - 1}) {
    folder.write("results.json.journal", whole.substr(0, length));
    const auto contents = Journal::load(path, kPlan);
    ASSERT_TRUE(contents) << contents.error().message;
    EXPECT_EQ(contents->rows.size(), 1u);
    EXPECT_THAT(contents->notice.value_or(""), HasSubstr("line 3: torn"));
    auto journal = Journal::resume(path, *contents);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->append(test::results().benchmarks[1]));
    EXPECT_EQ(folder.read("results.json.journal"), whole);
  }
}

TEST(Journal, RefusesAnotherPlanAndDamage) {
  const TemporaryFolder folder;
  const std::string path = written_journal(folder);
  const std::string whole = folder.read("results.json.journal");
  EXPECT_THAT(error_of(Journal::load(path, manifest_digest({"other"}))), HasSubstr("the journal of another plan"));
  folder.write("results.json.journal", test::replaced(whole, "\"digest\":", "\"digset\":"));
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("line 2: /digset: unknown member. Did you mean \"digest\"?"));
  folder.write("results.json.journal", test::replaced(whole, "{\"name\"", "#\"name\""));
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("line 2: line 1, column 1"));
  folder.write("results.json.journal", whole + whole.substr(whole.find('\n') + 1));
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("line 4: /id: the cell stands in an earlier line"));
  folder.write("results.json.journal", test::replaced(whole, "journal/1", "journal/2"));
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("this program understands \"narrowgate.journal/1\""));
  folder.write("results.json.journal", "{\"schema\":\"narrow");
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("the header is torn"));
  folder.write("results.json.journal", "[]\n");
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("line 1: expected the header"));
  folder.write("results.json.journal", "");
  EXPECT_THAT(error_of(Journal::load(path, kPlan)), HasSubstr("the file is empty"));
  EXPECT_EQ(folder.read("results.json.journal"), "");
}

TEST(Journal, NeverOverwritesAnother) {
  const TemporaryFolder folder;
  const std::string path = written_journal(folder);
  const std::string whole = folder.read("results.json.journal");
  EXPECT_THAT(error_of(Journal::start(path, kPlan)), HasSubstr("--resume"));
  EXPECT_EQ(folder.read("results.json.journal"), whole);
}

TEST(Journal, IsRemovedWhenTheResultsStand) {
  const TemporaryFolder folder;
  auto journal = Journal::start(folder.path("j"), kPlan);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->remove());
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace narrowgate
