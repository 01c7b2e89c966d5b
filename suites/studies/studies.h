// Studies: questions about number formats and quantizers, answered by computing and not by opinion.
//
// A study looks at no kernel and judges nothing. It is a function from fixed seeds to a record, which reports/ draws
// (baselines/studies_file.h). The same program gives the same record on every machine; only `decode_speed` depends on
// times, and takes them from the results of a run. Values use + − × ÷ √ alone; logarithms are for whoever draws them.
//
// To add one: a file here, its declaration and its line in studies.cpp, a test of its arithmetic with literals.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "baselines/record.h"
#include "baselines/studies_file.h"

namespace narrowgate::studies {

struct StudyInputs {
  std::optional<Results> results;  // of a run with times, for the studies that need some
};

struct Study {
  std::string_view id;
  StudyRecord (*run)(const StudyInputs&);
};

// In the order in which they are run and shown.
std::span<const Study> all_studies();
std::vector<std::string> study_names();
const Study* find_study(std::string_view id);

}  // namespace narrowgate::studies
