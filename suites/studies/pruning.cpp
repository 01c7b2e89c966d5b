#include "suites/studies/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/quantize/prune24.h"
#include "suites/engine/metrics.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr std::int64_t kRows = 512, kCols = 256;

double share(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

double energy(const std::vector<double>& squares, std::size_t count) {
  return pairwise_sum(0, static_cast<std::int64_t>(count),
                      [&](std::int64_t i) { return squares[static_cast<std::size_t>(i)]; });
}

std::vector<double> squares_of(View<const float> x) {
  std::vector<double> squares;
  squares.reserve(static_cast<std::size_t>(x.rows * x.cols));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) squares.push_back(static_cast<double>(x(row, col)) * x(row, col));
  }
  return squares;
}

}  // namespace

double energy_dropped_by_24(View<const float> x) {
  const Matrix<float> kept = quantize::prune24(x);
  const std::vector<double> before = squares_of(x), after = squares_of(kept.view());
  const double whole = energy(before, before.size());
  return share(whole - energy(after, after.size()), whole);
}

double energy_dropped_by_smallest_half(View<const float> x) {
  std::vector<double> squares = squares_of(x);
  std::sort(squares.begin(), squares.end());
  return share(energy(squares, squares.size() / 2), energy(squares, squares.size()));
}

StudyRecord pruning(const StudyInputs&) {
  StudyRecord study;
  study.id = "pruning";
  study.title = "How much of the weights' energy does 2:4 pruning drop?";
  study.x = categories("distribution of the weights", {});
  study.y = {"share of Σw² that is dropped", "", StudyRecord::Scale::linear};
  study.series = {{"2 of each 4 along k"}, {"the smallest half, anywhere"}};
  for (const Distribution distribution : all_distributions()) {
    const Matrix<float> x = make_input(distribution, Tensor::kB, kSeed, kRows, kCols);
    study.x.names.emplace_back(to_string(distribution));
    study.series[0].y.emplace_back(energy_dropped_by_24(x.view()));
    study.series[1].y.emplace_back(energy_dropped_by_smallest_half(x.view()));
  }
  const auto place_of = [&](Distribution distribution) {
    const auto& names = study.x.names;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), to_string(distribution)) - names.begin());
  };
  const std::size_t normal = place_of(Distribution::kNormal), constant = place_of(Distribution::kConstant);
  study.series[0].marked = static_cast<std::int64_t>(normal);
  const auto &structured = study.series[0].y, &anywhere = study.series[1].y;
  study.finding = fmt::format(
      "Of normal weights 2:4 drops {:.1f} % of the energy where the same number of zeros, placed freely, need drop "
      "only {:.1f} %: the structure costs a factor of {:.2f}. Equal magnitudes lose {:.0f} % either way.",
      100 * *structured[normal], 100 * *anywhere[normal], *structured[normal] / *anywhere[normal],
      100 * *structured[constant]);
  study.notes = {fmt::format("Weights {}×{}, seed {}. Half of the elements are dropped in both; a random half of any "
                             "input would drop 50 %.",
                             kRows, kCols, kSeed)};
  study.source = "Mishra et al. 2021, Accelerating sparse deep neural networks";
  return study;
}

}  // namespace narrowgate::studies
