#include "baselines/welch.h"

#include <cmath>
#include <limits>

namespace narrowgate {
namespace {

struct Moments {
  double mean, variance_of_mean;
};

Moments moments(std::span<const double> values) {
  const double count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / (count - 1) / count};
}

double away_from_zero(double value) {
  constexpr double kTiny = 1e-300;
  return std::fabs(value) < kTiny ? kTiny : value;
}

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method. It
// converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 500;
  double numerator = 1;
  double denominator = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = denominator;
  const auto multiply = [&](double term) {
    denominator = 1 / away_from_zero(1 + term * denominator);
    numerator = away_from_zero(1 + term / numerator);
    fraction *= denominator * numerator;
    return denominator * numerator;
  };
  for (int m = 1; m <= kMostTerms; ++m) {
    multiply(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double change = multiply(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::fabs(change - 1) < 1e-15) break;
  }
  return fraction;
}

// Regularized incomplete beta function.
double incomplete_beta(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (!(x < 1)) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_p(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0)) return 1;  // no evidence of anything
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees_of_freedom / 2, 0.5, degrees_of_freedom / (degrees_of_freedom + t * t));
}

WelchResult welch(std::span<const double> a, std::span<const double> b) {
  const Moments of_a = moments(a);
  const Moments of_b = moments(b);
  WelchResult result;
  result.difference = of_a.mean - of_b.mean;
  const double variance = of_a.variance_of_mean + of_b.variance_of_mean;
  if (!(variance > 0)) {
    result.degrees_of_freedom = static_cast<double>(a.size() + b.size() - 2);
    if (result.difference == 0) return result;
    result.t = std::copysign(std::numeric_limits<double>::infinity(), result.difference);
    result.p = 0;
    return result;
  }
  result.t = result.difference / std::sqrt(variance);
  const double part_a = of_a.variance_of_mean * of_a.variance_of_mean / static_cast<double>(a.size() - 1);
  const double part_b = of_b.variance_of_mean * of_b.variance_of_mean / static_cast<double>(b.size() - 1);
  result.degrees_of_freedom = variance * variance / (part_a + part_b);
  result.p = student_p(result.t, result.degrees_of_freedom);
  return result;
}

}  // namespace narrowgate
