// How far a run is: a line that rewrites itself on a terminal, a plain line now and then in a log.
#pragma once

#include <chrono>
#include <string>

#include "suites/engine/run.h"

namespace narrowgate {

class Progress {
 public:
  enum class Style { kSilent, kLines, kBar };

  explicit Progress(Style style) : style_(style) {}
  // The style for standard error.
  static Style style_for(bool quiet);

  void update(const RunProgress& at, const Row& row);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  Style style_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

// "3 s", "2 min 05 s"
std::string duration_text(double seconds);

}  // namespace narrowgate
