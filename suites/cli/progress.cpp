#include "suites/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace narrowgate {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

Progress::Style Progress::style_for(bool quiet) {
  if (quiet) return Style::kSilent;
  return isatty(STDERR_FILENO) == 1 ? Style::kBar : Style::kLines;
}

void Progress::update(const RunProgress& at, const Row& row) {
  const auto [done, planned, work_done] = at;
  if (style_ == Style::kSilent) return;
  using std::chrono::duration;
  const Clock::time_point now = Clock::now();
  const double pause = style_ == Style::kBar ? 0.1 : 5.0;
  if (duration<double>(now - last_).count() < pause && done != planned) return;
  last_ = now;
  const double elapsed = duration<double>(now - start_).count();
  const std::string left = done == planned
                               ? fmt::format("took {}", duration_text(elapsed))
                               : fmt::format("about {} left", duration_text(elapsed / work_done * (1.0 - work_done)));
  if (style_ == Style::kLines) {
    fmt::print(stderr, "{} of {} cells, {}\n", done, planned, left);
    return;
  }
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = kWidth * done / planned;
  fmt::print(stderr, "\r\x1b[K{:#<{}}{:.<{}} {} of {} cells, {}  {:.40}", "", filled, "", kWidth - filled, done, planned,
             left, row.id);
  std::fflush(stderr);
}

void Progress::finish() {
  if (style_ == Style::kBar) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace narrowgate
