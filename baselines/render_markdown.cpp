#include <fmt/format.h>

#include <algorithm>

#include "baselines/render.h"
#include "baselines/text_escape.h"

namespace narrowgate {
namespace {

constexpr std::size_t kMostRows = 10;

std::string in_table(const std::string& text) { return markdown_escaped(shortened(text)); }

// A fence that no run of backticks inside of the text can close.
std::string fence_around(const std::string& text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

std::string origin_line(const RunContext& context) {
  const std::string commit = context.git_commit ? context.git_commit->substr(0, 12) : "unknown";
  const bool dirty = context.git_dirty.value_or(false);
  std::string line = fmt::format("Suite {}, commit {}{}, {}", in_table(context.suite), in_table(commit),
                                 dirty ? " with uncommitted changes" : "", in_table(context.date));
  if (context.planted) line += fmt::format(", planted bug: {}", in_table(*context.planted));
  return line + ".\n";
}

std::string table(const std::vector<const CellVerdict*>& cells, std::size_t total) {
  std::string text = "\n| state | cell | why | time |\n|---|---|---|---|\n";
  for (const CellVerdict* cell : cells) {
    text += fmt::format("| {} | {} | {} | {} |\n", to_string(cell->state), in_table(cell->id), in_table(cell->reason),
                        in_table(time_words(*cell)));
  }
  if (total > cells.size()) text += fmt::format("\n{} of {} cells that need attention are shown.\n", cells.size(), total);
  return text;
}

}  // namespace

std::string markdown(const Verdict& verdict) {
  std::string text = fmt::format("**{}**\n\n{}", markdown_escaped(verdict.sentence), origin_line(verdict.context));
  if (!verdict.reasons.empty()) text += "\n";
  for (const std::string& reason : verdict.reasons) text += fmt::format("- {}\n", markdown_escaped(reason));
  std::vector<const CellVerdict*> cells = cells_that_need_attention(verdict);
  if (cells.empty()) return text;
  const std::size_t total = cells.size();
  cells.resize(std::min(total, kMostRows));
  text += table(cells, total);
  std::string commands;
  for (const CellVerdict* cell : cells) commands += visible(cell->rerun) + "\n";
  const std::string fence = fence_around(commands);
  return text + fmt::format("\nReproduce:\n\n{}sh\n{}{}\n", fence, commands, fence);
}

}  // namespace narrowgate
