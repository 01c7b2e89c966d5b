#include "baselines/studies_file.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "baselines/json_fields.h"
#include "baselines/json_file.h"
#include "baselines/text_file.h"

namespace narrowgate {
namespace {

using nlohmann::ordered_json;

ordered_json series_json(const StudyRecord::Series& series) {
  ordered_json values = ordered_json::array();
  for (const std::optional<double>& y : series.y) values.push_back(y ? ordered_json(*y) : ordered_json(nullptr));
  return {{"name", series.name},
          {"y", std::move(values)},
          {"marked", series.marked ? ordered_json(*series.marked) : ordered_json(nullptr)}};
}

ordered_json study_json(const StudyRecord& study) {
  ordered_json all_series = ordered_json::array();
  for (const StudyRecord::Series& series : study.series) all_series.push_back(series_json(series));
  return {{"id", study.id},
          {"title", study.title},
          {"state", to_string(study.state)},
          {"finding", study.finding},
          {"x",
           {{"label", study.x.label},
            {"unit", study.x.unit},
            {"scale", to_string(study.x.scale)},
            {"numbers", study.x.numbers},
            {"names", study.x.names}}},
          {"y", {{"label", study.y.label}, {"unit", study.y.unit}, {"scale", to_string(study.y.scale)}}},
          {"series", std::move(all_series)},
          {"notes", study.notes},
          {"source", study.source}};
}

bool is_ascending(const std::vector<double>& numbers) {
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (!(numbers[i - 1] < numbers[i])) return false;
  }
  return true;
}

// What of a series does not fit its axis, after its name in the file; nothing where all does.
std::string misfit(const StudyRecord& study, const StudyRecord::Series& series) {
  if (series.y.size() != study.x.size()) return "/y: expected one value for each place on x";
  bool has_value = false;
  for (const std::optional<double>& y : series.y) {
    if (y && !std::isfinite(*y)) return "/y: expected finite numbers";
    if (y && *y < 0 && study.y.scale == StudyRecord::Scale::log) {
      return "/y: expected no negative number on a log axis";
    }
    has_value = has_value || y.has_value();
  }
  if (!has_value) return "/y: expected at least one value";
  if (series.marked && (*series.marked < 0 || *series.marked >= static_cast<std::int64_t>(series.y.size()))) {
    return "/marked: expected a place on x";
  }
  return "";
}

// What the schema cannot say.
std::string contradiction(const StudyRecord& study) {
  if ((study.state == StudyRecord::State::measured) == study.series.empty()) {
    return "/series: expected some where it is measured, and none where not";
  }
  const bool is_named = study.x.scale == StudyRecord::Scale::categories;
  if (is_named != study.x.numbers.empty() && study.state == StudyRecord::State::measured) {
    return "/x: expected numbers, or names alone for categories";
  }
  if (!is_named && !study.x.names.empty() && study.x.names.size() != study.x.numbers.size()) {
    return "/x/names: expected one for each number, or none";
  }
  if (!is_ascending(study.x.numbers)) return "/x/numbers: expected ascending numbers";
  if (study.y.scale == StudyRecord::Scale::categories) return "/y/scale: expected linear or log";
  for (std::size_t i = 0; i < study.series.size(); ++i) {
    const std::string what = misfit(study, study.series[i]);
    if (!what.empty()) return fmt::format("/series/{}{}", i, what);
  }
  return "";
}

}  // namespace

tl::expected<std::string, Error> studies_text(const StudiesFile& file, const std::string& origin) {
  const ordered_json commit = file.git_commit.empty() ? ordered_json(nullptr) : ordered_json(file.git_commit);
  std::string text = fmt::format("{{\n\"schema\": \"narrowgate.studies/1\",\n\"version\": {},\n\"git_commit\": "
                                 "{},\n\"studies\": [",
                                 ordered_json(file.version).dump(), commit.dump());
  std::set<std::string> ids;
  for (std::size_t i = 0; i < file.studies.size(); ++i) {
    const StudyRecord& study = file.studies[i];
    const std::string place = fmt::format("{}: /studies/{}", origin, i);
    if (!ids.insert(study.id).second) return tl::unexpected(Error{place + "/id: given twice"});
    const std::string what = contradiction(study);
    if (!what.empty()) return tl::unexpected(Error{place + what});
    const auto line = one_line(study_json(study), place);
    if (!line) return tl::unexpected(line.error());
    text += fmt::format("{}\n{}", i == 0 ? "" : ",", *line);
  }
  text += "\n]\n}\n";
  if (const auto read = parse_json(text, origin, "studies.schema.json"); !read) return tl::unexpected(read.error());
  return text;
}

tl::expected<void, Error> write_studies(const std::string& path, const StudiesFile& file) {
  const auto text = studies_text(file, path);
  if (!text) return tl::unexpected(text.error());
  return write_text_atomically(path, *text);
}

}  // namespace narrowgate
