#include "kernels/quantize/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/quantize/group_integer.h"

namespace narrowgate::quantize {
namespace {

double squared_error(std::span<const float> x, float scale, float limit) {
  double sum = 0;
  for (const float value : x) {
    const float code = std::clamp(std::nearbyint(value / scale), -limit, limit);
    const double difference = static_cast<double>(value) - static_cast<double>(scale) * code;
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

float percentile_range(std::span<const float> x, double p) {
  std::vector<float> magnitudes;
  magnitudes.reserve(x.size());
  for (const float value : x) magnitudes.push_back(std::fabs(value));
  const double rank = std::clamp(std::ceil(p * static_cast<double>(x.size())), 1.0, static_cast<double>(x.size()));
  const auto place = magnitudes.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(magnitudes.begin(), place, magnitudes.end());
  return *place;
}

float least_squares_range(std::span<const float> x, const formats::Format& element) {
  const auto limit = static_cast<float>(element.maximum);
  const float maximum = percentile_range(x, 1.0);
  float best_range = maximum;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 64; i >= 16; --i) {
    const float range = maximum * (static_cast<float>(i) / 64.0f);
    const double error = squared_error(x, stored_scale(static_cast<double>(range) / limit, ScaleStorage::fp32), limit);
    if (error < least) {
      least = error;
      best_range = range;
    }
  }
  return best_range;
}

}  // namespace narrowgate::quantize
