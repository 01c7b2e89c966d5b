#include "suites/studies/stochastic_updates.h"

#include <fmt/format.h>

#include "kernels/formats/all_formats.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

using formats::Rounding;

constexpr double kStart = 1.0, kStep = 0x1p-12;  // half a step at 1: 2⁻⁸ in BF16, 2⁻⁴ in E4M3
constexpr std::int64_t kUpdates = 1000, kEvery = 50, kWeights = 256;
constexpr std::uint32_t kTensor = kFirstStudyTensor + 1;

StudyRecord::Series nearest(std::string name, const formats::Format& format) {
  const auto weights = updated_weights({format, Rounding::nearest_even, kStart, kStep, kUpdates, kEvery}, {});
  return {std::move(name), {weights.begin(), weights.end()}, {}};
}

// The mean over weights with a stream each.
StudyRecord::Series stochastic(std::string name, const formats::Format& format) {
  std::vector<double> sums(kUpdates / kEvery + 1);
  for (std::uint64_t weight = 0; weight < kWeights; ++weight) {
    const RandomStream stream{.seed = kSeed + weight, .tensor = kTensor};
    const auto weights = updated_weights({format, Rounding::stochastic, kStart, kStep, kUpdates, kEvery}, stream);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weights[i];
  }
  StudyRecord::Series series{std::move(name), {}, {}};
  for (const double sum : sums) series.y.emplace_back(sum / static_cast<double>(kWeights));
  return series;
}

}  // namespace

std::vector<double> updated_weights(const Updates& updates, const RandomStream& stream) {
  std::vector<double> weights = {updates.start};
  double weight = updates.start;
  for (std::int64_t i = 0; i < updates.count; ++i) {
    const std::uint32_t random =
        updates.rounding == Rounding::stochastic ? philox_word(stream, static_cast<std::uint64_t>(i)) : 0;
    weight = formats::decode(updates.format, *formats::encode(updates.format, weight + updates.step, updates.rounding,
                                                              formats::Overflow::saturate, random));
    if ((i + 1) % updates.every == 0) weights.push_back(weight);
  }
  return weights;
}

StudyRecord stochastic_updates(const StudyInputs&) {
  StudyRecord study;
  study.id = "stochastic_updates";
  study.title = "Do updates far below half a step reach a narrow weight?";
  study.x = {"updates", "", StudyRecord::Scale::linear, {}, {}};
  study.y = {"weight", "", StudyRecord::Scale::linear};
  study.series.push_back({"exact", {}, {}});
  for (std::int64_t i = 0; i <= kUpdates; i += kEvery) {
    study.x.numbers.push_back(static_cast<double>(i));
    study.series[0].y.emplace_back(kStart + static_cast<double>(i) * kStep);
  }
  study.series.push_back(stochastic("BF16, stochastic", formats::kBf16));
  study.series.push_back(stochastic("E4M3, stochastic", formats::kE4m3));
  study.series.push_back(nearest("BF16, nearest", formats::kBf16));
  study.series.push_back(nearest("E4M3, nearest", formats::kE4m3));
  const auto last = [&](std::size_t i) { return *study.series[i].y.back(); };
  study.finding = fmt::format(
      "After {} updates of 2⁻¹² the exact weight is {:.4f}. Rounded to nearest it is still {:g} in BF16 and {:g} in "
      "E4M3; rounded stochastically it is {:.4f} and {:.4f} on average of {} weights.",
      kUpdates, last(0), last(3), last(4), last(1), last(2), kWeights);
  study.notes = {"The weight starts at 1 and is rounded after each update. Half a step above 1 is 2⁻⁸ in BF16 and "
                 "2⁻⁴ in E4M3: 16 and 256 updates."};
  study.source = "Gupta et al. 2015, Deep learning with limited numerical precision; Croci et al. 2022, Stochastic "
                 "rounding";
  return study;
}

}  // namespace narrowgate::studies
