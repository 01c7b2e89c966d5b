#include "suites/studies/studies.h"

#include <algorithm>

namespace narrowgate::studies {

StudyRecord granularity(const StudyInputs&);
StudyRecord token_scales(const StudyInputs&);
StudyRecord clipping(const StudyInputs&);
StudyRecord smoothing(const StudyInputs&);
StudyRecord mx_rules_mxfp4(const StudyInputs&);
StudyRecord mx_rules_mxfp8(const StudyInputs&);
StudyRecord group_size(const StudyInputs&);
StudyRecord pruning(const StudyInputs&);
StudyRecord swamping(const StudyInputs&);
StudyRecord summation_order(const StudyInputs&);
StudyRecord large_elements(const StudyInputs&);
StudyRecord stochastic_updates(const StudyInputs&);
StudyRecord day98_claims(const StudyInputs&);
StudyRecord roofline(const StudyInputs&);
StudyRecord decode_speed(const StudyInputs&);

namespace {

constexpr Study kStudies[] = {
    {"granularity", granularity},
    {"token_scales", token_scales},
    {"clipping", clipping},
    {"smoothing", smoothing},
    {"mx_rules_mxfp4", mx_rules_mxfp4},
    {"mx_rules_mxfp8", mx_rules_mxfp8},
    {"group_size", group_size},
    {"pruning", pruning},
    {"swamping", swamping},
    {"summation_order", summation_order},
    {"large_elements", large_elements},
    {"stochastic_updates", stochastic_updates},
    {"day98_claims", day98_claims},
    {"roofline", roofline},
    {"decode_speed", decode_speed},
};

}  // namespace

std::span<const Study> all_studies() { return kStudies; }

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const Study& study : kStudies) names.emplace_back(study.id);
  return names;
}

const Study* find_study(std::string_view id) {
  const auto found =
      std::find_if(std::begin(kStudies), std::end(kStudies), [&](const Study& study) { return study.id == id; });
  return found == std::end(kStudies) ? nullptr : &*found;
}

}  // namespace narrowgate::studies
