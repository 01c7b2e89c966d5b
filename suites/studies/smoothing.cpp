#include "suites/studies/smoothing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/quantize/factors.h"
#include "kernels/quantize/integer.h"
#include "kernels/scheme_parts.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr Shape kShape{64, 128, 512};
constexpr std::int64_t kCalibrationRows = 64;

// v^(quarters/4)
double power(double v, int quarters) {
  const double half = std::sqrt(v), quarter = std::sqrt(half);
  switch (quarters) {
    case 0: return 1.0;
    case 1: return quarter;
    case 2: return half;
    case 3: return half * quarter;
    default: return v;
  }
}

double relative_error(const Pair& inputs, Matrix<float> a, Matrix<float> b) {
  Operands operands = accepted(parts::fit(quantize::symmetric_int8(std::as_const(a).view(), Granularity::row()),
                                          quantize::symmetric_int8(std::as_const(b).view(), Granularity::column())));
  operands.accumulation = Accumulation::integer();
  return rms_error(answer(*find_scheme("int8.token"), operands), inputs.exact) / rms(inputs.exact);
}

StudyRecord::Series errors_over_alpha(Distribution distribution) {
  const Pair inputs = make_pair(distribution, kShape);
  const Matrix<float> calibration = make_input(distribution, Tensor::kCalibration, kSeed, kCalibrationRows, kShape.k);
  StudyRecord::Series series{std::string(to_string(distribution)), {relative_error(inputs, inputs.a, inputs.b)}, 0};
  for (int quarters = 0; quarters <= 4; ++quarters) {
    const auto factors = smooth_factors_at(calibration.view(), inputs.b.view(), quarters);
    series.y.emplace_back(relative_error(inputs, quantize::divided_columns(inputs.a.view(), factors),
                                         quantize::multiplied_rows(inputs.b.view(), factors)));
    if (*series.y.back() < *series.y[static_cast<std::size_t>(*series.marked)]) series.marked = quarters + 1;
  }
  return series;
}

}  // namespace

std::vector<float> smooth_factors_at(View<const float> x, View<const float> w, int quarters) {
  std::vector<float> factors;
  for (std::int64_t j = 0; j < w.rows; ++j) {
    float x_maximum = 0, w_maximum = 0;
    for (std::int64_t row = 0; row < x.rows; ++row) x_maximum = std::max(x_maximum, std::fabs(x(row, j)));
    for (std::int64_t col = 0; col < w.cols; ++col) w_maximum = std::max(w_maximum, std::fabs(w(j, col)));
    const bool is_dead = x_maximum == 0 || w_maximum == 0;
    const double exact = is_dead ? 1.0 : power(x_maximum, quarters) / power(w_maximum, 4 - quarters);
    factors.push_back(quantize::rounded_factor(exact, quantize::FactorRounding::fp32));
  }
  return factors;
}

StudyRecord smoothing(const StudyInputs&) {
  StudyRecord study;
  study.id = "smoothing";
  study.title = "How much of the activations' range should SmoothQuant move into the weights?";
  study.x = categories("α", {"no smoothing", "0", "¼", "½", "¾", "1"});
  study.y = {"rms error; rms of the product = 1", "", StudyRecord::Scale::log};
  study.series = {errors_over_alpha(Distribution::kOutlierChannel), errors_over_alpha(Distribution::kDay98)};
  const auto best = [&](std::size_t i) { return static_cast<std::size_t>(*study.series[i].marked); };
  const auto& outlier = study.series[0].y;
  const auto& day98 = study.series[1].y;
  study.finding = fmt::format(
      "With outlier channels the best α of these is {}: {:.1f} times less error than int8.token without smoothing. "
      "On day98, whose outliers are single weights, the best is {}, {:.2f} times the unsmoothed error.",
      study.x.names[best(0)], *outlier[0] / *outlier[best(0)], study.x.names[best(1)], *day98[best(1)] / *day98[0]);
  study.notes = {fmt::format("{}×{}×{}, seed {}. INT8 with a scale for each row of A and each column of B; factors "
                             "from {} rows of calibration activations.",
                             kShape.m, kShape.n, kShape.k, kSeed, kCalibrationRows),
                 "α = 0 only evens out the rows of the weights, α = 1 only the channels of the activations; the "
                 "scheme int8.smooth is α = ½."};
  study.source = "Xiao et al. 2022, SmoothQuant, §4, equation 4";
  return study;
}

}  // namespace narrowgate::studies
