// A target holds its old text or its new text; damage to it is never made worse.
#include "baselines/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using test::error_of;
using test::TemporaryFolder;
using testing::HasSubstr;

TEST(ReadText, RefusesInWords) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(read_text(folder.path("absent"))), HasSubstr("absent: no such file"));
  EXPECT_THAT(error_of(read_text(folder.path(""))), HasSubstr("a folder, where a file is expected"));
  EXPECT_THAT(error_of(read_text(folder.write("empty", ""))), HasSubstr("empty: the file is empty"));
}

TEST(WriteText, ReplacesAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_text_atomically(folder.path("a"), "one"));
  ASSERT_TRUE(write_text_atomically(folder.path("a"), "two"));
  EXPECT_EQ(folder.read("a"), "two");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteText, KeepsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "one");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(write_text_atomically(path, "two"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0640u);
}

TEST(WriteText, RefusesAFolderAndAMissingFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(write_text_atomically(folder.path(""), "x")), HasSubstr("a folder"));
  EXPECT_THAT(error_of(write_text_atomically(folder.path("absent/a"), "x")), HasSubstr("absent/a: cannot be written"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(AppendLine, StartsAndContinues) {
  const TemporaryFolder folder;
  ASSERT_TRUE(append_line_atomically(folder.path("WHY.md"), "- one"));
  ASSERT_TRUE(append_line_atomically(folder.path("WHY.md"), "- two"));
  EXPECT_EQ(folder.read("WHY.md"), "- one\n- two\n");
  folder.write("torn", "# Why");
  ASSERT_TRUE(append_line_atomically(folder.path("torn"), "- one"));
  EXPECT_EQ(folder.read("torn"), "# Why\n- one\n");
}

TEST(TextDigest, IsXxh3) {
  EXPECT_EQ(text_digest(""), "99aa06d3014798d86001c324468d497f");  // the published XXH3-128 of no bytes
  EXPECT_NE(text_digest("a"), text_digest("b"));
}

}  // namespace
}  // namespace narrowgate
