// What the day 98 page claims, computed again on inputs of the same description.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/scaled_float.h"
#include "suites/studies/measures.h"
#include "suites/studies/published_figures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr std::int64_t kSizes[] = {256, 1024, 2048};
constexpr std::int64_t kRows = 128;  // of A: each row of C depends on its own alone

float largest_magnitude(View<const float> x, std::int64_t col) {
  float largest = 0.0f;
  for (std::int64_t row = 0; row < x.rows; ++row) largest = std::max(largest, std::fabs(x(row, col)));
  return largest;
}

// The largest error, each column's in units of its own largest weight: the day 98 gate's measure but for a constant.
double worst_of_columns(const Matrix<float>& c, const Pair& inputs) {
  double worst = 0.0;
  for (std::int64_t col = 0; col < c.cols(); ++col) {
    double error = 0.0;
    for (std::int64_t row = 0; row < c.rows(); ++row) {
      error = std::max(error, std::fabs(c(row, col) - inputs.exact(row, col)));
    }
    worst = std::max(worst, error / largest_magnitude(inputs.b.view(), col));
  }
  return worst;
}

// "+0.7 %", "-26 %"; "0.0 %" for what is smaller than it shows.
std::string percent(double share) {
  const double value = 100 * share;
  if (std::fabs(value) >= 10) return fmt::format("{:+.0f} %", value);
  return std::fabs(value) < 0.05 ? "0.0 %" : fmt::format("{:+.1f} %", value);
}

class Claims {
 public:
  explicit Claims(StudyRecord& study) : study_(study) {}

  void add(std::string name, double published, double here) {
    study_.x.names.push_back(std::move(name));
    study_.series[0].y.emplace_back(published);
    study_.series[1].y.emplace_back(here);
  }
  double difference(std::size_t i) const { return *study_.series[1].y[i] / *study_.series[0].y[i] - 1; }
  std::size_t count() const { return study_.x.names.size(); }

 private:
  StudyRecord& study_;
};

// Claims about one operand, by arithmetic alone or nearly so.
void add_storage_claims(Claims& claims, const nlohmann::json& published) {
  const Matrix<float> a = make_input(Distribution::kDay98, Tensor::kA, kSeed, 1024, 1024);
  const Matrix<float> b = make_input(Distribution::kDay98, Tensor::kB, kSeed, 1024, 1024);
  float largest = 0.0f;
  for (const float value : b.flat()) largest = std::max(largest, std::fabs(value));
  const Granularity tensor = Granularity::tensor();
  const double int8 = largest_error(b.view(), accepted(quantize::symmetric_int8(b.view(), tensor)));
  const double fp8 = largest_error(b.view(), accepted(quantize::scaled_float(b.view(), formats::kE4m3, tensor)));
  const double fp8_per32 =
      largest_error(b.view(), accepted(quantize::scaled_float(b.view(), formats::kE4m3, {32, 1})));
  claims.add("INT8 largest error over max|B|", published["int8_one_scale_max_storage_err_over_maxB"], int8 / largest);
  claims.add("E4M3 largest error over INT8's", published["fp8_e4m3_one_scale_max_err_over_int8"], fp8 / int8);
  claims.add("A: symmetric rms over asymmetric", published["symmetric_over_asymmetric_activation_rms"],
             rms_error(a.view(), accepted(quantize::symmetric_int8(a.view(), tensor))) /
                 rms_error(a.view(), accepted(quantize::asymmetric_int8(a.view(), tensor))));
  claims.add("E4M3 per 32: largest error cut", published["fp8_per32_max_err_cut"], fp8 / fp8_per32);
}

void add_product_claims(Claims& claims, const nlohmann::json& published) {
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    const Pair inputs = make_pair(Distribution::kDay98, {kRows, kSizes[i], kSizes[i]});
    const auto product = [&](const char* scheme) { return answer(scheme, inputs, Distribution::kDay98); };
    const Matrix<float> column = product("int8.column");
    const double column_rms = rms_error(column, inputs.exact);
    claims.add(fmt::format("zero point: rms gain, {}", kSizes[i]), published["zero_point_end_to_end_rms_gain"][i],
               column_rms / rms_error(product("int8.column_zp"), inputs.exact));
    claims.add(fmt::format("columns: gain at the √K gate, {}", kSizes[i]),
               published["per_column_over_per_tensor_sqrtk_gain"][i],
               worst_of_columns(product("int8.tensor"), inputs) / worst_of_columns(column, inputs));
    if (kSizes[i] != 2048) continue;
    claims.add("2:4 over dense rms, 2048", published["two_of_four_rms_over_dense_per_column_at_2048"],
               rms_error(product("int8.column_24"), inputs.exact) / column_rms);
  }
}

}  // namespace

StudyRecord day98_claims(const StudyInputs&) {
  StudyRecord study;
  study.id = "day98_claims";
  study.title = "Do the claims of the day 98 page hold on other inputs of the same description?";
  study.x = categories("claim", {});
  study.y = {"value", "", StudyRecord::Scale::log};
  study.series = {{"published"}, {"here"}};
  Claims claims(study);
  const nlohmann::json published = published_figures("day98_t4.json");
  add_storage_claims(claims, published["claims"]);
  constexpr std::size_t kArithmetic = 3;  // the first three follow from the formats, not from the data
  double arithmetic = 0.0;
  for (std::size_t i = 0; i < kArithmetic; ++i) arithmetic = std::max(arithmetic, std::fabs(claims.difference(i)));
  add_product_claims(claims, published["claims"]);
  std::size_t worst = 0;
  for (std::size_t i = 1; i < claims.count(); ++i) {
    if (std::fabs(claims.difference(i)) > std::fabs(claims.difference(worst))) worst = i;
  }
  study.series[1].marked = static_cast<std::int64_t>(worst);
  study.finding = fmt::format(
      "The three claims that follow from the formats agree within {:.2g} %. The farthest of the others is \"{}\": "
      "{:.3g} here, {:.3g} published, {}.",
      100 * arithmetic, study.x.names[worst], *study.series[1].y[worst], *study.series[0].y[worst],
      percent(claims.difference(worst)));
  std::string differences = "Relative differences: ";
  for (std::size_t i = 0; i < claims.count(); ++i) {
    differences += fmt::format("{}{} {}", i == 0 ? "" : "; ", study.x.names[i], percent(claims.difference(i)));
  }
  study.notes = {std::move(differences) + ".",
                 fmt::format("day98 inputs, seed {}; products over {} rows of A. Claims about largest errors depend "
                             "on single elements, and the page's own generator correlates them.",
                             kSeed, kRows)};
  study.source = "100 days of GPU, day 98 (baselines/published/day98_t4.json)";
  return study;
}

}  // namespace narrowgate::studies
