#include "suites/studies/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "suites/studies/published_figures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr double kDepth = 8192, kCols = 8192;
constexpr int kLargestExponent = 10;
constexpr LayerFormat kLayers[] = {kFp16Layer, kW8a8Layer, kW4a16Layer};

std::string crossovers_of(const Accelerator& accelerator) {
  return fmt::format("{}: W4A16 is ahead of W8A8 up to {:.0f} tokens; FP16 itself is bound by memory up to {:.0f}. {}.",
                     accelerator.name, crossover_tokens(accelerator, kW4a16Layer, kW8a8Layer),
                     crossover_tokens(accelerator, kFp16Layer, kFp16Layer), accelerator.source);
}

}  // namespace

std::vector<Accelerator> published_accelerators() {
  std::vector<Accelerator> accelerators;
  const nlohmann::json figures = published_figures("accelerators.json");
  for (const nlohmann::json& device : figures["devices"]) {
    accelerators.push_back({device["name"], device["fp16_flops"], device["int8_ops"], device["bytes_per_second"],
                            device["source"]});
  }
  return accelerators;
}

double attainable_seconds(const Accelerator& accelerator, const LayerFormat& format, double weights, double tokens) {
  const double reading = weights * format.weight_bits / 8 / accelerator.bytes_per_second;
  return std::max(reading, 2 * weights * tokens / (accelerator.*format.peak));
}

double crossover_tokens(const Accelerator& accelerator, const LayerFormat& first, const LayerFormat& second) {
  return second.weight_bits / 8 / accelerator.bytes_per_second * (accelerator.*first.peak) / 2;
}

StudyRecord roofline(const StudyInputs&) {
  const std::vector<Accelerator> accelerators = published_accelerators();
  const Accelerator& charted = accelerators.front();
  StudyRecord study;
  study.id = "roofline";
  study.title = fmt::format("Up to how many tokens can 4-bit weights beat INT8 on an {}?", charted.name);
  study.x = {"tokens", "", StudyRecord::Scale::log, {}, {}};
  study.y = {"least time of a layer of 8192 × 8192", "µs", StudyRecord::Scale::log};
  for (const LayerFormat& layer : kLayers) study.series.push_back({layer.name, {}, {}});
  for (int exponent = 0; exponent <= kLargestExponent; ++exponent) {
    const double tokens = static_cast<double>(1 << exponent);
    study.x.numbers.push_back(tokens);
    for (std::size_t i = 0; i < std::size(kLayers); ++i) {
      study.series[i].y.emplace_back(1e6 * attainable_seconds(charted, kLayers[i], kDepth * kCols, tokens));
    }
  }
  const auto first = [&](std::size_t i) { return *study.series[i].y.front(); };
  study.finding = fmt::format(
      "By peak figures, W4A16 is up to {:.1f} times faster than W8A8 and {:.1f} times than FP16 at few tokens, where "
      "reading the weights is all there is; from {:.0f} tokens on its FP16 arithmetic takes longer than W8A8's "
      "reading, and W8A8 is ahead.",
      first(1) / first(2), first(0) / first(2), crossover_tokens(charted, kW4a16Layer, kW8a8Layer));
  for (const Accelerator& accelerator : accelerators) study.notes.push_back(crossovers_of(accelerator));
  study.notes.emplace_back("Weights alone, without scales (an FP16 scale per 128 adds 3 % to 4 bits), activations or "
                           "launch; published peaks, nothing measured.");
  study.source = "Williams et al. 2009, Roofline; figures and their sources in baselines/published/accelerators.json";
  return study;
}

}  // namespace narrowgate::studies
