// What a person reads: the sentence first, then what failed, where, and how to see it again.
#include "baselines/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/compare.h"
#include "baselines/test_records.h"

namespace narrowgate {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Verdict failing() {
  Results results = test::results();
  GateResult& gate = results.benchmarks[1].gates[3];
  gate.state = GateResult::State::fail;
  gate.detail = "one column is dead";
  gate.row = 3;
  gate.column = 17;
  gate.value = 1.5;
  gate.reference = std::nan("");
  gate.bound = 0.125;
  return compare(results, test::baseline(), {}, {}, {}).value();
}

TEST(TerminalText, OneBlockPerFailingCell) {
  EXPECT_EQ(terminal_text(failing(), Color::never),
            "Error gate FAIL, 1 of 2 cells: 1 regressed. Time: not measured.\n"
            "  1 cell REGRESSED: a gate failed\n"
            "\n"
            "REGRESSED  int8.column/cuda.tiled/256x256x256/day98/s1\n"
            "  scheme int8.column, kernel cuda.tiled, shape 256x256x256\n"
            "  gate E failed: one column is dead\n"
            "  gate E failed at row 3, column 17: value 1.5, reference not finite, bound 0.125\n"
            "  rerun: narrowgate run smoke --filter 'int8.column/cuda.tiled/256x256x256/day98/s1'\n");
}

TEST(TerminalText, ColorOnlyWhereAsked) {
  EXPECT_THAT(terminal_text(failing(), Color::always), HasSubstr("\x1b[31mREGRESSED\x1b[0m"));
  EXPECT_THAT(terminal_text(failing(), Color::never), Not(HasSubstr("\x1b")));
}

TEST(TerminalText, ManyFailuresAreCut) {
  Results results = test::results();
  for (int i = 0; i < 30; ++i) results.manifest.push_back("gone" + std::to_string(i));
  EXPECT_THAT(terminal_text(compare(results, test::baseline(), {}, {}, {}).value(), Color::never),
              HasSubstr("and 10 more; the verdict file holds them all"));
}

TEST(TerminalText, EveryTextIsTheSameInEveryLocale) {
  const std::string in_c = terminal_text(failing(), Color::never) + markdown(failing());
  const test::DecimalComma comma;
  EXPECT_EQ(terminal_text(failing(), Color::never) + markdown(failing()), in_c);
}

TEST(Markdown, SentenceTableCommands) {
  EXPECT_EQ(markdown(failing()),
            "**Error gate FAIL, 1 of 2 cells: 1 regressed. Time: not measured.**\n"
            "\n"
            "Suite smoke, commit abcdef012345, 2026-11-30T12:00:00+00:00.\n"
            "\n"
            "- 1 cell REGRESSED: a gate failed\n"
            "\n"
            "| state | cell | why | time |\n"
            "|---|---|---|---|\n"
            "| REGRESSED | int8.column/cuda.tiled/256x256x256/day98/s1 | gate E failed: one column is dead | UNMEASURED |\n"
            "\n"
            "Reproduce:\n"
            "\n"
            "```sh\n"
            "narrowgate run smoke --filter 'int8.column/cuda.tiled/256x256x256/day98/s1'\n"
            "```\n");
}

TEST(Markdown, APassIsShort) {
  EXPECT_EQ(markdown(compare(test::results(), test::baseline(), {}, {}, {}).value()),
            "**Error gate PASS, 2 cells. Time: not measured.**\n\n"
            "Suite smoke, commit abcdef012345, 2026-11-30T12:00:00+00:00.\n");
}

TEST(Markdown, AtMostTenRows) {
  Results results = test::results();
  for (int i = 0; i < 30; ++i) results.manifest.push_back("gone" + std::to_string(i));
  const std::string text = markdown(compare(results, test::baseline(), {}, {}, {}).value());
  EXPECT_THAT(text, HasSubstr("10 of 30 cells that need attention are shown."));
  EXPECT_THAT(text, Not(HasSubstr("gone10")));
}

TEST(Markdown, SaysWhatWasPlanted) {
  Results results = test::results();
  results.context.planted = "one_nan";
  EXPECT_THAT(markdown(compare(results, test::baseline(), {}, {}, {}).value()), HasSubstr("planted bug: one_nan"));
}

}  // namespace
}  // namespace narrowgate
