#include "suites/engine/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "baselines/embedded.h"
#include "baselines/json_file.h"
#include "baselines/nearest.h"

namespace narrowgate {
namespace {

// Every MxNxK of the three lists, k fastest.
std::vector<std::string> grid_shapes(const nlohmann::json& grid) {
  std::vector<std::string> shapes;
  for (const std::int64_t m : grid["m"]) {
    for (const std::int64_t n : grid["n"]) {
      for (const std::int64_t k : grid["k"]) shapes.push_back(fmt::format("{}x{}x{}", m, n, k));
    }
  }
  return shapes;
}

Suite::Entry entry_from_json(const nlohmann::json& json) {
  Suite::Entry entry;
  entry.schemes = json["schemes"];
  entry.except = json.value("except", std::vector<std::string>{});
  entry.kernels = json.value("kernels", std::vector<std::string>{});
  entry.shapes = json.contains("grid") ? grid_shapes(json["grid"]) : json["shapes"].get<std::vector<std::string>>();
  entry.distributions = json["distributions"];
  entry.seeds = json["seeds"].get<std::vector<std::uint64_t>>();
  return entry;
}

Suite from_json(const nlohmann::json& json, const std::string& origin) {
  Suite suite;
  suite.name = json["name"];
  suite.description = json["description"];
  suite.origin = origin;
  suite.includes = json.value("includes", std::vector<std::string>{});
  suite.is_parametric = json.value("parametric", false);
  for (const auto& entry : json.value("cases", nlohmann::json::array())) {
    suite.cases.push_back(entry_from_json(entry));
  }
  for (const auto& limit : json.value("limits", nlohmann::json::array())) {
    suite.limits.push_back({limit["kernels"], limit["largest_dimension"]});
  }
  if (json.contains("timing")) {
    const auto& timing = json["timing"];
    suite.timing = {timing["kernels"], timing.value("smallest_dimension", std::int64_t{1}), timing["budget_ms"]};
  }
  return suite;
}

std::string without_extension(std::string_view file) { return std::string(file.substr(0, file.rfind('.'))); }

}  // namespace

tl::expected<Suite, Error> parse_suite(std::string_view text, const std::string& origin) {
  auto json = parse_json(text, origin, "suite.schema.json");
  if (!json) return tl::unexpected(json.error());
  return from_json(*json, origin);
}

tl::expected<Suite, Error> find_suite(const std::string& name_or_path) {
  for (const EmbeddedFile& file : embedded::suites()) {
    if (without_extension(file.name) == name_or_path) return parse_suite(file.text, "suites/" + std::string(file.name));
  }
  if (!name_or_path.ends_with(".json") && name_or_path.find('/') == std::string::npos) {
    return tl::unexpected(Error{fmt::format("there is no suite \"{}\".{} Suites: {}; or give the path of a suite's .json file",
                                            name_or_path, did_you_mean(name_or_path, built_in_suites()),
                                            fmt::join(built_in_suites(), ", "))});
  }
  auto json = read_json(name_or_path, "suite.schema.json");
  if (!json) return tl::unexpected(json.error());
  return from_json(*json, name_or_path);
}

tl::expected<Suite, Error> with_parameters(Suite suite, const SuiteParameters& parameters) {
  if (parameters.is_empty()) return suite;
  if (!suite.is_parametric) {
    return tl::unexpected(Error{fmt::format("{}: the suite {} has fixed cases; --schemes, --shapes, --distributions and "
                                            "--seeds are for parametric suites, such as sweep", suite.origin, suite.name)});
  }
  const auto replace = [](auto& list, const auto& with) {
    if (!with.empty()) list = with;
  };
  for (Suite::Entry& entry : suite.cases) {
    replace(entry.schemes, parameters.schemes);
    replace(entry.shapes, parameters.shapes);
    replace(entry.distributions, parameters.distributions);
    replace(entry.seeds, parameters.seeds);
  }
  return suite;
}

std::vector<std::string> built_in_suites() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::suites()) names.push_back(without_extension(file.name));
  return names;
}

}  // namespace narrowgate
