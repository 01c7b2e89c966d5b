#include "suites/studies/swamping.h"

#include <fmt/format.h>

#include "kernels/formats/all_formats.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr int kLargestExponent = 26;

// `add` is one rounded addition of 1. Once a sum stays, it stays for good.
template <class Add>
std::vector<double> sums_at(const std::vector<std::int64_t>& counts, const Add& add) {
  std::vector<double> sums;
  double sum = 0.0;
  bool is_stuck = false;
  std::int64_t added = 0;
  for (const std::int64_t count : counts) {
    for (; added < count && !is_stuck; ++added) {
      const double next = add(sum);
      is_stuck = next == sum;
      sum = next;
    }
    sums.push_back(sum);
  }
  return sums;
}

StudyRecord::Series shares(std::string name, const std::vector<double>& sums,
                           const std::vector<std::int64_t>& counts) {
  StudyRecord::Series series{std::move(name), {}, {}};
  for (std::size_t i = 0; i < sums.size(); ++i) series.y.emplace_back(sums[i] / static_cast<double>(counts[i]));
  return series;
}

}  // namespace

double narrow_sum(const formats::Format& format, double sum, double term) {
  return formats::decode(format, *formats::encode(format, sum + term));
}

std::vector<double> sums_of_ones(const formats::Format& format, const std::vector<std::int64_t>& counts) {
  return sums_at(counts, [&](double sum) { return narrow_sum(format, sum, 1.0); });
}

std::vector<double> sums_of_ones_fp32(const std::vector<std::int64_t>& counts) {
  return sums_at(counts, [](double sum) { return static_cast<double>(static_cast<float>(sum) + 1.0f); });
}

StudyRecord swamping(const StudyInputs&) {
  std::vector<std::int64_t> counts;
  for (int exponent = 0; exponent <= kLargestExponent; ++exponent) counts.push_back(std::int64_t{1} << exponent);
  StudyRecord study;
  study.id = "swamping";
  study.title = "How many equal terms can a narrow accumulator add up?";
  study.x = {"number of terms", "", StudyRecord::Scale::log, {counts.begin(), counts.end()}, {}};
  study.y = {"share of the true sum that is reached", "", StudyRecord::Scale::log};
  const auto e5m2 = sums_of_ones(formats::kE5m2, counts), bf16 = sums_of_ones(formats::kBf16, counts);
  const auto fp16 = sums_of_ones(formats::kFp16, counts), fp32 = sums_of_ones_fp32(counts);
  study.series = {shares("FP32", fp32, counts), shares("FP16", fp16, counts), shares("BF16", bf16, counts),
                  shares("E5M2", e5m2, counts)};
  study.finding = fmt::format(
      "A sum of ones stops at {:.0f} in E5M2, {:.0f} in BF16, {:.0f} in FP16 and {:.0f} in FP32: there 1 is half a "
      "step, and ties go to the even sum. In E5M2 32 + 3.5 gives {:g}.",
      e5m2.back(), bf16.back(), fp16.back(), fp32.back(), narrow_sum(formats::kE5m2, 32.0, 3.5));
  study.notes = {"One addition after another, each rounded to nearest even. Partial sums of equal size, as in a "
                 "tree, do not swamp."};
  study.source = "Higham, Accuracy and Stability of Numerical Algorithms, §4.2; Wang et al. 2018, Training DNNs with "
                 "8-bit floating point numbers";
  return study;
}

}  // namespace narrowgate::studies
