// Accuracy baselines: baselines/accuracy/<family>.json.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "baselines/exact_json.h"
#include "baselines/json_fields.h"
#include "baselines/json_file.h"
#include "baselines/store.h"

namespace narrowgate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

void read_exact(FieldReader& f, const char* key, double& value) {
  const json* pair = f.find(key);
  const auto exact = exact_from_json(pair == nullptr ? json() : *pair);
  if (!exact) return f.fail(key, exact.error());
  value = *exact;
}

tl::expected<void, Error> load_family(const fs::path& path, AccuracyBaseline& baseline) {
  const tl::expected<json, Error> whole = read_json(path.string(), "accuracy.schema.json");
  if (!whole) return tl::unexpected(whole.error());
  const std::string family = (*whole)["family"].get<std::string>();
  if (family != path.stem().string()) {
    return tl::unexpected(Error{fmt::format("{}: /family: expected \"{}\", the name of the file, found \"{}\"",
                                            path.string(), path.stem().string(), family)});
  }
  for (const auto& [id, item] : (*whole)["cases"].items()) {
    const Place place{path.string(), pointer_to("/cases", id)};
    tl::expected<AccuracyLine, Error> line = accuracy_line_from_json(item, place);
    if (!line) return tl::unexpected(line.error());
    line->family = family;
    const auto [earlier, fresh] = baseline.cases.emplace(id, std::move(*line));
    if (!fresh) {
      return tl::unexpected(Error{fmt::format("{}: {}: the case also stands in {}.json; it belongs in one file",
                                              place.origin, place.pointer, earlier->second.family)});
    }
  }
  return {};
}

bool is_file_name(const std::string& family) {
  return !family.empty() && family.front() != '.' && family.find('/') == std::string::npos;
}

tl::expected<std::string, Error> family_text(const std::string& family, const AccuracyBaseline& baseline) {
  std::string text = fmt::format("{{\n\"schema\": \"narrowgate.accuracy/1\",\n\"family\": {},\n\"cases\": {{",
                                 json(family).dump());
  const char* separator = "\n";
  for (const auto& [id, line] : baseline.cases) {
    if (line.family != family) continue;
    const tl::expected<std::string, Error> name = one_line(json(id), "case id");
    if (!name) return tl::unexpected(name.error());
    text += fmt::format("{}{}: {}", separator, *name, to_json(line).dump());
    separator = ",\n";
  }
  return text + "\n}\n}\n";
}

}  // namespace

ordered_json to_json(const AccuracyLine& line) {
  return {{"digest", line.digest},
          {"max_abs_err", exact_json(line.max_abs_err)},
          {"mean_abs_err", exact_json(line.mean_abs_err)},
          {"rms_err", exact_json(line.rms_err)},
          {"worst_row", line.worst_row},
          {"worst_col", line.worst_col},
          {"bound_fraction", exact_json(line.bound_fraction)}};
}

tl::expected<AccuracyLine, Error> accuracy_line_from_json(const json& value, const Place& place) {
  AccuracyLine line;
  FieldReader f(value, place);
  f("digest", line.digest);
  read_exact(f, "max_abs_err", line.max_abs_err);
  read_exact(f, "mean_abs_err", line.mean_abs_err);
  read_exact(f, "rms_err", line.rms_err);
  f("worst_row", line.worst_row);
  f("worst_col", line.worst_col);
  read_exact(f, "bound_fraction", line.bound_fraction);
  if (f.error()) return tl::unexpected(*f.error());
  return line;
}

tl::expected<AccuracyBaseline, Error> load_accuracy(const std::string& folder) {
  if (!fs::is_directory(folder)) {
    return tl::unexpected(Error{fmt::format("{}: no such folder; the accuracy baseline is expected there", folder)});
  }
  AccuracyBaseline baseline;
  for (const fs::path& path : json_files(folder)) {
    if (const auto loaded = load_family(path, baseline); !loaded) return tl::unexpected(loaded.error());
  }
  return baseline;
}

tl::expected<void, Error> save_accuracy(const std::string& folder, const AccuracyBaseline& baseline) {
  std::map<std::string, std::string> texts;  // made before the first file is written
  for (const auto& [id, line] : baseline.cases) {
    if (!is_file_name(line.family)) {
      return tl::unexpected(Error{fmt::format("{}: the family \"{}\" cannot name a file", folder, line.family)});
    }
    if (texts.contains(line.family)) continue;
    const std::string path = (fs::path(folder) / (line.family + ".json")).string();
    tl::expected<std::string, Error> text = family_text(line.family, baseline);
    if (!text) return tl::unexpected(text.error());
    if (const auto readable = parse_json(*text, path, "accuracy.schema.json"); !readable) {
      return tl::unexpected(readable.error());
    }
    texts.emplace(line.family, std::move(*text));
  }
  for (const auto& [family, text] : texts) {
    const std::string path = (fs::path(folder) / (family + ".json")).string();
    if (const auto old = read_text(path); old && *old == text) continue;
    if (const auto written = write_text_atomically(path, text); !written) return written;
  }
  return {};
}

tl::expected<std::string, Error> load_published(const std::string& path) {
  const tl::expected<json, Error> value = read_json(path, kNoSchema);
  if (!value) return tl::unexpected(value.error());
  if (!value->is_object()) return tl::unexpected(Error{fmt::format("{}: /: expected an object", path)});
  return value->dump();
}

}  // namespace narrowgate
