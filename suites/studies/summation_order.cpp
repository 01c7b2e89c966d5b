#include "suites/studies/summation_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/accumulation.h"
#include "kernels/formats/scalar.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr std::int64_t kSums = 512, kDepth = 4096;

struct Order {
  const char* name;
  float (*sum)(std::span<const float>);
};
constexpr Order kOrders[] = {
    {"chain", chain_sum}, {"reversed", reversed_sum}, {"lanes", lanes_sum}, {"pairwise", pairwise_fp32_sum}};

struct Outcome {
  std::vector<double> median_error;  // of each order, in steps of the result
  double median_spread, largest_spread;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Outcome outcome_of(Distribution distribution) {
  const Matrix<float> a = make_input(distribution, Tensor::kA, kSeed, kSums, kDepth);
  const Matrix<float> b = make_input(distribution, Tensor::kB, kSeed, kSums, kDepth);
  std::vector<std::vector<double>> errors(std::size(kOrders));
  std::vector<double> spreads;
  std::vector<float> products(static_cast<std::size_t>(kDepth));
  for (std::int64_t i = 0; i < kSums; ++i) {
    double exact = 0.0;
    for (std::int64_t k = 0; k < kDepth; ++k) {
      const float product = a(i, k) * b(i, k);
      products[static_cast<std::size_t>(k)] = product;
      exact += product;
    }
    const double step = fp32_step(exact);
    double low = 0, high = 0;
    for (std::size_t order = 0; order < std::size(kOrders); ++order) {
      const double sum = kOrders[order].sum(products);
      errors[order].push_back(std::fabs(sum - exact) / step);
      low = order == 0 ? sum : std::min(low, sum);
      high = order == 0 ? sum : std::max(high, sum);
    }
    spreads.push_back((high - low) / step);
  }
  Outcome outcome{{}, median(spreads), *std::max_element(spreads.begin(), spreads.end())};
  for (auto& of_order : errors) outcome.median_error.push_back(median(std::move(of_order)));
  return outcome;
}

}  // namespace

float chain_sum(std::span<const float> terms) {
  float sum = 0.0f;
  for (const float term : terms) sum += term;
  return sum;
}

float reversed_sum(std::span<const float> terms) {
  float sum = 0.0f;
  for (std::size_t i = terms.size(); i > 0; --i) sum += terms[i - 1];
  return sum;
}

float pairwise_fp32_sum(std::span<const float> terms) {
  if (terms.empty()) return 0.0f;
  if (terms.size() == 1) return terms[0];
  const std::size_t half = (terms.size() + 1) / 2;
  return pairwise_fp32_sum(terms.first(half)) + pairwise_fp32_sum(terms.subspan(half));
}

float lanes_sum(std::span<const float> terms) {
  constexpr std::size_t kLanes = kLaneCount, kVector = lane_vector(32);
  std::array<float, kLanes> partial{};
  for (std::size_t k = 0; k < terms.size(); ++k) partial[k / kVector % kLanes] += terms[k];
  for (std::size_t distance = kLanes / 2; distance > 0; distance /= 2) {
    for (std::size_t lane = 0; lane < distance; ++lane) partial[lane] += partial[lane + distance];
  }
  return partial[0];
}

double fp32_step(double x) {
  constexpr int kMinimumExponent = -126, kMantissaBits = 23;
  return formats::power_of_two(std::max(formats::floor_log2(x), kMinimumExponent) - kMantissaBits);
}

StudyRecord summation_order(const StudyInputs&) {
  StudyRecord study;
  study.id = "summation_order";
  study.title = "How far apart do orders of the same FP32 sum end?";
  study.x = categories("order of the additions", {});
  for (const Order& order : kOrders) study.x.names.emplace_back(order.name);
  study.y = {"median error, in units in the last place", "ulp", StudyRecord::Scale::log};
  const Outcome normal = outcome_of(Distribution::kNormal), one_signed = outcome_of(Distribution::kOneSigned);
  const auto add = [&](std::string name, const Outcome& outcome) {
    study.series.push_back({std::move(name), {outcome.median_error.begin(), outcome.median_error.end()}, {}});
  };
  add("normal, terms cancel", normal);
  add("one_signed, nothing cancels", one_signed);
  study.finding = fmt::format(
      "Four orders of the same {} products end {} ulp apart in the median and {} at most where terms cancel, {} and "
      "{} where none do: an order is part of an exact answer, not a detail of a kernel.",
      kDepth, plain_number(normal.median_spread), plain_number(normal.largest_spread),
      plain_number(one_signed.median_spread), plain_number(one_signed.largest_spread));
  study.notes = {fmt::format("{} sums of each kind. Products are rounded to FP32 once and shared by the orders; the "
                             "error is against their sum in double; the ulp is that of the sum.",
                             kSums),
                 "lanes: 32 chains joined by a tree, the order of a warp; pairwise: halves down to single terms."};
  study.source = "Higham, Accuracy and Stability of Numerical Algorithms, §4.2";
  return study;
}

}  // namespace narrowgate::studies
