// AWQ: five candidates of channel factors, each judged by its error on the calibration output.
#include <algorithm>
#include <limits>

#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using quantize::ScaledWeights;
using quantize::ScaleStorage;

// mean|x_j|: a double sum over ascending samples, divided once.
std::vector<double> mean_magnitudes(View<const float> x) {
  std::vector<double> means;
  for (std::int64_t j = 0; j < x.cols; ++j) {
    double sum = 0;
    for (std::int64_t sample = 0; sample < x.rows; ++sample) sum += std::fabs(static_cast<double>(x(sample, j)));
    means.push_back(sum / static_cast<double>(x.rows));
  }
  return means;
}

double fourth_power(double mean, int quarters) {
  switch (quarters) {
    case 1: return std::sqrt(std::sqrt(mean));
    case 2: return std::sqrt(mean);
    case 3: return std::sqrt(mean) * std::sqrt(std::sqrt(mean));
    default: return mean;
  }
}

float factor(double mean, int quarters) {
  if (quarters == 0 || mean == 0) return 1.0f;
  return replay_rounded_factor(fourth_power(mean, quarters), quantize::FactorRounding::power_of_two);
}

QuantizedMatrix round_to_nearest(View<const float> b, const formats::Format& element, std::int64_t group) {
  return element.is_signed ? replay_symmetric_integer(b, element, {group, 1}, ScaleStorage::fp16)
                           : replay_asymmetric_integer(b, element, {group, 1}, ScaleStorage::fp16);
}

// Of one column: Σ over ascending samples of (Σ over ascending j of x_j·(b_j − b̂_j))².
double column_error(View<const float> b, View<const float> x, const ScaledWeights& scaled, std::int64_t col) {
  const QuantizedMatrix& q = scaled.weights;
  std::vector<double> difference;
  for (std::int64_t j = 0; j < b.rows; ++j) {
    const double integer = q.codes(j, col) - q.zero_point_at(j, col);
    const double weight = static_cast<double>(q.scale_at(j, col)) * integer;
    difference.push_back(b(j, col) - weight / scaled.factors[static_cast<std::size_t>(j)]);
  }
  double error = 0;
  for (std::int64_t sample = 0; sample < x.rows; ++sample) {
    double sum = 0;
    for (std::int64_t j = 0; j < b.rows; ++j) sum += x(sample, j) * difference[static_cast<std::size_t>(j)];
    error += sum * sum;
  }
  return error;
}

double output_error(View<const float> b, View<const float> x, const ScaledWeights& scaled) {
  std::vector<double> errors(static_cast<std::size_t>(b.cols));
  parallel_for(b.cols, [&](std::int64_t col) {
    errors[static_cast<std::size_t>(col)] = column_error(b, x, scaled, col);
  });
  double total = 0;
  for (const double error : errors) total += error;
  return total;
}

bool is_storable(const QuantizedMatrix& q) {
  return std::all_of(q.scales.begin(), q.scales.end(), [](float scale) { return std::isfinite(scale); });
}

}  // namespace

ScaledWeights replay_awq(View<const float> b, View<const float> x, const formats::Format& element, std::int64_t group) {
  const std::vector<double> means = mean_magnitudes(x);
  ScaledWeights best;
  double least = std::numeric_limits<double>::infinity();
  for (int quarters = 0; quarters <= 4; ++quarters) {
    ScaledWeights candidate;
    for (const double mean : means) candidate.factors.push_back(factor(mean, quarters));
    const Matrix<float> multiplied = replay_multiplied_rows(b, candidate.factors);
    candidate.weights = round_to_nearest(multiplied.view(), element, group);
    // An overflow of b·factor ends up here too: it makes the block's range infinite.
    if (!is_storable(candidate.weights)) continue;
    const double error = output_error(b, x, candidate);
    if (error < least) {
      least = error;
      best = std::move(candidate);
    }
  }
  return best;
}

}  // namespace narrowgate::reference
