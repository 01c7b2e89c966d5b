// What one loud row does to the others when all of A shares a scale.
#include <fmt/format.h>

#include <cmath>

#include "kernels/reference/oracle.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr Shape kShape{64, 128, 512};
constexpr float kGain = 20.0f;

double other_rows_error(std::string_view scheme, const Pair& inputs) {
  return rms_error(answer(scheme, inputs, Distribution::kNormal), inputs.exact, 1);
}

float largest_magnitude(const Matrix<float>& x) {
  float largest = 0.0f;
  for (const float value : x.flat()) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace

StudyRecord token_scales(const StudyInputs&) {
  const Pair plain = make_pair(Distribution::kNormal, kShape);
  Pair loud = plain;
  for (std::int64_t k = 0; k < kShape.k; ++k) loud.a(0, k) *= kGain;
  loud.exact = reference::product(std::as_const(loud.a).view(), std::as_const(loud.b).view());

  const double unit = other_rows_error("int8.token", plain);
  StudyRecord study;
  study.id = "token_scales";
  study.title = "What does one loud row of A do to the error of the other rows?";
  study.x = categories("input", {"plain", fmt::format("row 0 times {:g}", kGain)});
  study.y = {"rms error of the other rows; int8.token, plain = 1", "", StudyRecord::Scale::log};
  for (const char* scheme : {"int8.column", "int8.token"}) {
    const double without = other_rows_error(scheme, plain) / unit, beside = other_rows_error(scheme, loud) / unit;
    study.series.push_back({scheme, {without, beside}, {}});
  }
  const auto &column = study.series[0].y, &token = study.series[1].y;
  study.series[0].marked = 1;
  study.finding = fmt::format(
      "Beside a row {:g} times louder the other rows' error with one scale for A is {:.1f} times that with a scale "
      "for each row; without it, {:.2f} times. The shared step grew {:.1f} times with the largest element of A; a "
      "row's own step did not.",
      kGain, *column[1] / *token[1], *column[0] / *token[0], largest_magnitude(loud.a) / largest_magnitude(plain.a));
  study.notes = {fmt::format("{}×{}×{}, normal, seed {}; the error of row 0 itself is left out. B has a scale for "
                             "each column in both schemes.",
                             kShape.m, kShape.n, kShape.k, kSeed)};
  study.source = "Yao et al. 2022, ZeroQuant (token-wise quantization)";
  return study;
}

}  // namespace narrowgate::studies
