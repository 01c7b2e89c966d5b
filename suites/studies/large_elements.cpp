// Whether the elements that matter most, the largest of |C|, get their share of the error or more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr Shape kShape{128, 256, 512};
constexpr Distribution kInput = Distribution::kNormal;
constexpr std::int64_t kOneIn = 1000;  // the largest 0.1 %

// One scheme of each family, or of each width where a family has several.
constexpr std::string_view kSchemes[] = {
    "fp32.chain",           "int8.token",           "w8a16.row.chain",        "fp8.e4m3.token.chain",
    "mx.mxfp8_e4m3.rceil.chain", "mx.mxfp6_e2m3.rceil.chain", "w4a16.g128.rtn.chain",   "w4a8.g128",
    "mx.nvfp4.chain",       "mx.mxfp4.rceil.chain", "w2a16.g128.rtn.chain",   "w2a8.g128",
    "w1a16.g128.rtn.chain", "ternary.bitnet",       "sparse24.prune.fp32.chain"};

std::vector<std::int64_t> largest_elements(const Matrix<double>& c) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(c.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto count = static_cast<std::ptrdiff_t>((c.size() + kOneIn - 1) / kOneIn);
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::int64_t i, std::int64_t j) {
    const double left = std::fabs(c.data()[i]), right = std::fabs(c.data()[j]);
    return left != right ? left > right : i < j;
  });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

double rms_error_at(const Matrix<float>& c, const Matrix<double>& exact, const std::vector<std::int64_t>& elements) {
  double sum = 0.0;
  for (const std::int64_t i : elements) {
    const double error = c.data()[i] - exact.data()[i];
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(elements.size()));
}

}  // namespace

StudyRecord large_elements(const StudyInputs&) {
  const Pair inputs = make_pair(kInput, kShape);
  const std::vector<std::int64_t> largest = largest_elements(inputs.exact);
  const double unit = rms(inputs.exact);
  StudyRecord study;
  study.id = "large_elements";
  study.title = "Is the error larger where the product is largest?";
  study.x = categories("scheme", {});
  study.y = {"rms error; rms of the product = 1", "", StudyRecord::Scale::log};
  study.series = {{"all elements"}, {"the largest 0.1 %"}};
  constexpr std::size_t kFp32Chain = 0, kInt8Token = 1;
  std::size_t worst = kInt8Token;  // of the quantized ones
  const auto ratio = [&](std::size_t place) { return *study.series[1].y[place] / *study.series[0].y[place]; };
  for (const std::string_view scheme : kSchemes) {
    const Matrix<float> c = answer(scheme, inputs, kInput);
    study.x.names.emplace_back(scheme);
    study.series[0].y.emplace_back(rms_error(c, inputs.exact) / unit);
    study.series[1].y.emplace_back(rms_error_at(c, inputs.exact, largest) / unit);
  }
  for (std::size_t place = kInt8Token; place < study.x.names.size(); ++place) {
    if (ratio(place) > ratio(worst)) worst = place;
  }
  study.series[1].marked = static_cast<std::int64_t>(worst);
  study.finding = fmt::format(
      "The largest 0.1 % of |C| carry {:.2f} times the error of all elements with {}, but {:.2f} times with {}; FP32 "
      "itself, which rounds in proportion to its sums, {:.2f} times.",
      ratio(kInt8Token), study.x.names[kInt8Token], ratio(worst), study.x.names[worst], ratio(kFp32Chain));
  study.notes = {
      fmt::format("{}×{}×{}, normal, seed {}; {} elements are the largest 0.1 %.", kShape.m, kShape.n, kShape.k, kSeed,
                  largest.size()),
      "Steps of INT8 and FP8 know nothing of the product. Codes by means and pruning shrink the weights, and miss a "
      "share of each product."};
  study.source = "this project's own question; Dettmers et al. 2022, LLM.int8(), on why few large values matter";
  return study;
}

}  // namespace narrowgate::studies
