// Welch's test: have two samples of unequal variance the same mean? (B. L. Welch, Biometrika 34, 1947.)
#pragma once

#include <span>

namespace narrowgate {

struct WelchResult {
  double difference = 0;          // mean(a) − mean(b)
  double t = 0;                   // infinite where neither sample varies and the means differ
  double degrees_of_freedom = 0;  // Welch–Satterthwaite
  double p = 1;                   // two-sided
};

// Each sample holds at least two finite values.
WelchResult welch(std::span<const double> a, std::span<const double> b);

// Two-sided p of Student's t.
double student_p(double t, double degrees_of_freedom);

}  // namespace narrowgate
