// Names come from files of strangers: they pass through every file and every rendering, and stay inert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "baselines/compare.h"
#include "baselines/render.h"
#include "baselines/results_file.h"
#include "baselines/test_records.h"
#include "baselines/text_escape.h"

namespace narrowgate {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kHostile{"a|b",
                                        "</script><script>alert(1)</script>",
                                        "`code` **bold** [link](http://example.org) @everyone",
                                        "line\nend\r\t",
                                        "quote ' double \" dollar $(id) back\\slash",
                                        "\u202Eabc\u2066",
                                        "\x1b[2Jcleared",
                                        "Größe 日本",
                                        std::string(10240, 'x'),
                                        [] {
                                          std::string wide;
                                          for (int i = 0; i < 10240; ++i) wide += "\u65e5";
                                          return wide;
                                        }()};

TEST(Hostile, NamesSurviveTheFilesAndStayInert) {
  for (const std::string& name : kHostile) {
    Results results = test::results();
    results.manifest = {name};
    results.benchmarks.resize(1);
    results.benchmarks[0].id = results.benchmarks[0].name = results.benchmarks[0].run_name = name;
    results.benchmarks[0].gates[3].state = GateResult::State::fail;
    results.benchmarks[0].gates[3].detail = name;
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_results(folder.path("results.json"), results)) << name;
    const auto read = read_results(folder.path("results.json"));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->benchmarks[0].id, name);
    const Verdict verdict = compare(*read, test::baseline(), {}, {}, {}).value();
    ASSERT_TRUE(write_verdict(folder.path("verdict.json"), verdict));
    EXPECT_EQ(read_verdict(folder.path("verdict.json"))->cells[0].id, name);

    const std::string page = markdown(verdict);
    const std::string table = page.substr(0, page.find("Reproduce:"));
    EXPECT_THAT(table, Not(HasSubstr("<"))) << name;
    EXPECT_THAT(table, Not(HasSubstr("@"))) << name;
    EXPECT_THAT(table, Not(HasSubstr("\u202E"))) << name;
    const std::string row = table.substr(table.find("| REGRESSED"));
    EXPECT_EQ(std::count(row.begin(), row.end(), '|'), 5) << row;
    EXPECT_EQ(std::count(row.begin(), row.end(), '\n'), 2) << row;
    const std::string terminal = terminal_text(verdict, Color::never);
    EXPECT_THAT(terminal, Not(HasSubstr("\x1b")));
    EXPECT_THAT(terminal, Not(HasSubstr("\u202E")));
  }
}

TEST(Hostile, TextThatIsNotUtf8IsNotWritten) {
  Results results = test::results();
  results.benchmarks[0].reason = "\xff";
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::error_of(write_results(folder.path("results.json"), results)), HasSubstr("not UTF-8"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Hostile, NamesAbove10kAreRefused) {
  Results results = test::results();
  results.manifest[0] = results.benchmarks[0].id = std::string(10241, 'x');
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::error_of(write_results(folder.path("results.json"), results)),
              HasSubstr("expected at most 10240 characters"));
}

TEST(Escape, Visible) {
  EXPECT_EQ(visible("a\nb"), "a\\u000ab");
  EXPECT_EQ(visible("\u202E"), "\\u202e");
  EXPECT_EQ(visible("\xff"), "\\xff");
  EXPECT_EQ(visible("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(visible("Größe 日本"), "Größe 日本");
}

TEST(Escape, Markdown) {
  EXPECT_EQ(markdown_escaped("int8.column_zp/cpu.scalar"), "int8.column_zp/cpu.scalar");
  EXPECT_EQ(markdown_escaped("a|b`c<d>&"), "a&#124;b&#96;c&#60;d&#62;&#38;");
  EXPECT_EQ(markdown_escaped("_a_ *b* [c] \\"), "\\_a\\_ \\*b\\* \\[c\\] \\\\");
  EXPECT_EQ(markdown_escaped("http://x"), "http&#58;//x");
}

TEST(Escape, ShellLiterals) {
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("a\n'\\"), "$'a\\x0a\\'\\\\'");
  EXPECT_EQ(shell_word("smoke"), "smoke");
  EXPECT_EQ(shell_word("-x"), "'-x'");
  EXPECT_EQ(shell_word(""), "''");
}

// The judge of shell quoting is a shell.
TEST(Escape, BashReadsBackEveryName) {
  for (const std::string& name : kHostile) {
    const test::TemporaryFolder folder;
    folder.write("print.sh", "printf %s " + shell_quoted(name));
    const std::string command = "bash " + folder.path("print.sh") + " > " + folder.path("out");
    ASSERT_EQ(std::system(command.c_str()), 0) << name;
    EXPECT_EQ(folder.read("out"), name);
  }
}

TEST(Escape, ShortenedKeepsBothEndsAndWholeCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  const std::string shown = shortened(std::string(100, 'a') + "日本日本日本日本日本日本日本日本日本日本");
  EXPECT_LE(shown.size(), 124u);
  EXPECT_EQ(visible(shown), shown);
  EXPECT_THAT(shown, HasSubstr("…"));
}

}  // namespace
}  // namespace narrowgate
