// The four rules from the largest magnitude of an MX block to its power-of-two scale, on every input distribution.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/mx.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

using quantize::MxRule;

constexpr std::int64_t kRows = 512, kCols = 64;
struct NamedRule {
  const char* name;
  MxRule rule;
};
constexpr NamedRule kRules[] = {
    {"floor", MxRule::floor}, {"ceil", MxRule::ceil}, {"rceil", MxRule::rceil}, {"even", MxRule::even}};

double relative_error(const Matrix<float>& x, const formats::Format& element, MxRule rule) {
  return rms_error(x.view(), accepted(quantize::mx(x.view(), element, rule, BlockAxis::rows))) / rms(x.view());
}

// On how many of the distributions no other rule has a smaller error.
std::size_t best_count(const StudyRecord& study, std::size_t rule) {
  std::size_t count = 0;
  for (std::size_t place = 0; place < study.x.names.size(); ++place) {
    count += std::all_of(study.series.begin(), study.series.end(),
                         [&](const auto& other) { return *study.series[rule].y[place] <= *other.y[place]; });
  }
  return count;
}

// Where rule 0 (floor) loses most against rule 2 (rceil), among those where rceil has an error at all.
std::size_t worst_place_of_floor(const StudyRecord& study) {
  const auto loss = [&](std::size_t place) {
    const double rceil = *study.series[2].y[place];
    return rceil > 0 ? *study.series[0].y[place] / rceil : 0.0;
  };
  std::size_t worst = 0;
  for (std::size_t place = 1; place < study.x.names.size(); ++place) {
    if (loss(place) > loss(worst)) worst = place;
  }
  return worst;
}

StudyRecord mx_rules(std::string id, std::string_view format_name, const formats::Format& element) {
  StudyRecord study;
  study.id = std::move(id);
  study.title = fmt::format("Which scale rule suits {}, input by input?", format_name);
  study.x = categories("distribution of the weights", {});
  study.y = {"rms error; rms of the weights = 1", "", StudyRecord::Scale::log};
  for (const NamedRule& rule : kRules) study.series.push_back({rule.name, {}, {}});
  for (const Distribution distribution : all_distributions()) {
    study.x.names.emplace_back(to_string(distribution));
    const Matrix<float> x = make_input(distribution, Tensor::kB, kSeed, kRows, kCols);
    for (std::size_t i = 0; i < study.series.size(); ++i) {
      study.series[i].y.emplace_back(relative_error(x, element, kRules[i].rule));
    }
  }
  const std::size_t worst = worst_place_of_floor(study);
  study.series[0].marked = static_cast<std::int64_t>(worst);
  study.finding = fmt::format(
      "Of {} inputs, floor is the best or equal on {}, ceil on {}, rceil on {}, even on {}. Floor, the standard's "
      "rule, loses most on {}, {} times rceil's error: it saturates values near the top of their binade.",
      study.x.names.size(), best_count(study, 0), best_count(study, 1), best_count(study, 2), best_count(study, 3),
      study.x.names[worst], plain_number(*study.series[0].y[worst] / *study.series[2].y[worst]));
  study.notes = {fmt::format("Weights {}×{} of each distribution, blocks of 32 along k, seed {}. An error of 0 "
                             "stands at the chart's edge.",
                             kRows, kCols, kSeed)};
  study.source = "OCP Microscaling Formats (MX) 1.0, §6.3 (floor); Mishra et al. 2025, Recipes for pre-training LLMs "
                 "with MXFP8 (rceil)";
  return study;
}

}  // namespace

StudyRecord mx_rules_mxfp4(const StudyInputs&) { return mx_rules("mx_rules_mxfp4", "MXFP4", formats::kE2m1); }
StudyRecord mx_rules_mxfp8(const StudyInputs&) { return mx_rules("mx_rules_mxfp8", "MXFP8 (E4M3)", formats::kE4m3); }

}  // namespace narrowgate::studies
