#include <cmath>
#include <limits>
#include <optional>

#include "kernels/quantize/factors.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/weight_quantizers.h"

namespace narrowgate::quantize {
namespace {

// Mean magnitude of each column of x: a double sum over ascending rows.
std::vector<double> mean_magnitudes(View<const float> x) {
  std::vector<double> means(static_cast<std::size_t>(x.cols));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) means[static_cast<std::size_t>(col)] += std::fabs(x(row, col));
  }
  for (double& mean : means) mean /= static_cast<double>(x.rows);
  return means;
}

// mean^(quarters/4) by square roots; a silent channel gets 1.
float factor(double mean, int quarters) {
  if (mean == 0 || quarters == 0) return 1.0f;
  const double root = std::sqrt(mean);
  const double fourth_root = std::sqrt(root);
  const double powers[] = {1.0, fourth_root, root, root * fourth_root, mean};
  return rounded_factor(powers[quarters], FactorRounding::power_of_two);
}

OrRefusal<QuantizedMatrix> round_to_nearest(View<const float> b, const formats::Format& element, std::int64_t group) {
  return element.is_signed ? symmetric_integer(b, element, {group, 1}, ScaleStorage::fp16)
                           : asymmetric_integer(b, element, {group, 1}, ScaleStorage::fp16);
}

}  // namespace

double output_error(View<const float> b, View<const float> x, const QuantizedMatrix& q,
                    const std::vector<float>& factors) {
  std::vector<double> column_errors(static_cast<std::size_t>(b.cols));
#pragma omp parallel for schedule(static)
  for (std::int64_t col = 0; col < b.cols; ++col) {
    std::vector<double> difference;
    for (std::int64_t j = 0; j < b.rows; ++j) {
      difference.push_back(b(j, col) - q.dequantized(j, col) / factors[static_cast<std::size_t>(j)]);
    }
    for (std::int64_t row = 0; row < x.rows; ++row) {
      double sum = 0;
      for (std::int64_t j = 0; j < b.rows; ++j) sum += x(row, j) * difference[static_cast<std::size_t>(j)];
      column_errors[static_cast<std::size_t>(col)] += sum * sum;
    }
  }
  double total = 0;
  for (const double error : column_errors) total += error;
  return total;
}

OrRefusal<ScaledWeights> awq(View<const float> b, View<const float> x, const formats::Format& element,
                             std::int64_t group) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  const std::vector<double> means = mean_magnitudes(x);
  std::optional<ScaledWeights> best;
  double least = std::numeric_limits<double>::infinity();
  for (int quarters = 0; quarters <= 4; ++quarters) {
    std::vector<float> factors;
    for (const double mean : means) factors.push_back(factor(mean, quarters));
    auto weights = round_to_nearest(multiplied_rows(b, factors).view(), element, group);
    if (!weights && quarters == 0) return tl::unexpected(weights.error());
    if (!weights) continue;  // factors this large do not fit the scale's storage type
    const double error = output_error(b, x, *weights, factors);
    if (error < least) {
      least = error;
      best = ScaledWeights{std::move(*weights), std::move(factors)};
    }
  }
  return *std::move(best);
}

}  // namespace narrowgate::quantize
