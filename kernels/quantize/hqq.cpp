#include <algorithm>
#include <cmath>

#include "kernels/formats/records/fp16.h"
#include "kernels/quantize/weight_quantizers.h"

namespace narrowgate::quantize {
namespace {

constexpr int kSteps = 20;
constexpr double kFirstBeta = 10.0;
constexpr double kBetaGrowth = 1.01;

// One group of one column with its scale; codes and zero point are what is sought.
struct Group {
  View<const float> weights;
  float scale;
  double top;  // largest code
};

struct Solution {
  float zero_point;
  std::vector<double> codes;
};

// ŵ as the scheme defines it.
double reconstructed(const Group& group, const Solution& solution, std::size_t i) {
  return (static_cast<float>(solution.codes[i]) - solution.zero_point) * group.scale;
}

double weight(const Group& group, std::size_t i) { return group.weights(static_cast<std::int64_t>(i), 0); }

double objective(const Group& group, const Solution& solution) {
  double sum = 0;
  for (std::size_t i = 0; i < solution.codes.size(); ++i) {
    sum += std::sqrt(std::fabs(weight(group, i) - reconstructed(group, solution, i)));
  }
  return sum;
}

// The generalized soft threshold of |·|^½: sign(x)·max(|x| − |x|^(−½)/β, 0).
double shrunk(double x, double beta) {
  const double magnitude = std::fabs(x);
  if (magnitude == 0) return 0;
  const double rest = std::max(magnitude - 1 / (beta * std::sqrt(magnitude)), 0.0);
  return x < 0 ? -rest : rest;
}

Solution with_zero_point(const Group& group, std::size_t count, double zero_point) {
  Solution solution;
  // Saturating, so that no rounding makes an infinity of it.
  solution.zero_point = formats::decode(formats::kFp16, *formats::encode(formats::kFp16, zero_point));
  for (std::size_t i = 0; i < count; ++i) {
    const double code = std::nearbyint(weight(group, i) / group.scale + solution.zero_point);
    solution.codes.push_back(std::clamp(code, 0.0, group.top));
  }
  return solution;
}

// z = mean(q − (w − e)/s), with e the shrunk error of the present solution.
double next_zero_point(const Group& group, const Solution& solution, double beta) {
  double sum = 0;
  for (std::size_t i = 0; i < solution.codes.size(); ++i) {
    const double error = shrunk(weight(group, i) - reconstructed(group, solution, i), beta);
    sum += solution.codes[i] - (weight(group, i) - error) / group.scale;
  }
  return sum / static_cast<double>(solution.codes.size());
}

Solution improved(const Group& group, Solution best) {
  double least = objective(group, best);
  Solution iterate = best;
  double beta = kFirstBeta;
  for (int step = 0; step < kSteps; ++step, beta *= kBetaGrowth) {
    iterate = with_zero_point(group, best.codes.size(), next_zero_point(group, iterate, beta));
    const double value = objective(group, iterate);
    if (value < least) {
      least = value;
      best = iterate;
    }
  }
  return best;
}

}  // namespace

OrRefusal<QuantizedMatrix> hqq(View<const float> b, const formats::Format& element, std::int64_t group) {
  auto result = asymmetric_integer(b, element, {group, 1}, ScaleStorage::fp16);
  if (!result) return result;
  result->fractional_zero_points.assign(result->zero_points.begin(), result->zero_points.end());
  result->zero_points.clear();
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < b.rows; first += group) {
    for (std::int64_t col = 0; col < b.cols; ++col) {
      const std::int64_t rows = std::min(group, b.rows - first);
      const std::size_t block = result->block_at(first, col);
      const Group problem{{&b(first, col), rows, 1, b.ld}, result->scales[block], static_cast<double>(element.maximum)};
      Solution start{result->fractional_zero_points[block], {}};
      for (std::int64_t row = 0; row < rows; ++row) start.codes.push_back(result->codes(first + row, col));
      const Solution best = improved(problem, start);
      result->fractional_zero_points[block] = best.zero_point;
      for (std::int64_t row = 0; row < rows; ++row) {
        result->codes(first + row, col) = static_cast<std::int8_t>(best.codes[static_cast<std::size_t>(row)]);
      }
    }
  }
  return result;
}

double hqq_objective(View<const float> b, const QuantizedMatrix& q) {
  double sum = 0;
  for (std::int64_t row = 0; row < b.rows; ++row) {
    for (std::int64_t col = 0; col < b.cols; ++col) sum += std::sqrt(std::fabs(b(row, col) - q.dequantized(row, col)));
  }
  return sum;
}

}  // namespace narrowgate::quantize
