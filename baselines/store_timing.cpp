// Timing baselines: baselines/timing/<device folder>/<suite>.json.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "baselines/json_fields.h"
#include "baselines/json_file.h"
#include "baselines/store.h"

namespace narrowgate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

template <class Fields, class Record>
void line_fields(Fields& f, Record& line) {
  f("launches", line.launches);
  f("median_ns", line.median_ns);
  f("min_ns", line.min_ns);
  f("samples", line.samples);
}

tl::unexpected<Error> failure(const std::string& path, const std::string& what) {
  return tl::unexpected(Error{fmt::format("{}: {}", path, what)});
}

bool all_positive(const std::vector<double>& times) {
  return std::all_of(times.begin(), times.end(), [](double time) { return time > 0; });
}

tl::expected<TimingBaseline, Error> load_file(const fs::path& path) {
  const tl::expected<json, Error> whole = read_json(path.string(), "timing.schema.json");
  if (!whole) return tl::unexpected(whole.error());
  TimingBaseline baseline;
  FieldReader f(*whole, {path.string(), ""});
  f("suite", baseline.suite);
  f("date", baseline.date);
  f.nullable("git_commit", baseline.git_commit);
  tl::expected<Device, Error> device = device_from_json((*whole)["device"], f.place_of("device"));
  if (!device) return tl::unexpected(device.error());
  baseline.device = std::move(*device);
  for (const auto& [id, item] : (*whole)["cells"].items()) {
    const Place place{path.string(), pointer_to("/cells", id)};
    FieldReader fields(item, place);
    TimingLine line;
    line_fields(fields, line);
    if (!all_positive(line.launches)) fields.fail("launches", "expected times above 0");
    if (fields.error()) return tl::unexpected(*fields.error());
    baseline.cells.emplace(id, std::move(line));
  }
  if (f.error()) return tl::unexpected(*f.error());
  if (device_folder(baseline.device.key) != path.parent_path().filename().string()) {
    return failure(path.string(), fmt::format("/device/key: a file of this key belongs into the folder {}",
                                              device_folder(baseline.device.key)));
  }
  if (baseline.suite != path.stem().string()) {
    return failure(path.string(), fmt::format("/suite: expected \"{}\", the name of the file", path.stem().string()));
  }
  return baseline;
}

tl::expected<std::string, Error> timing_text(const TimingBaseline& baseline, const std::string& path) {
  const ordered_json commit = baseline.git_commit ? ordered_json(*baseline.git_commit) : ordered_json(nullptr);
  const ordered_json head{{"schema", "narrowgate.timing/1"}, {"device", to_json(baseline.device)},
                          {"suite", baseline.suite},         {"date", baseline.date},
                          {"git_commit", commit}};
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) {
    const tl::expected<std::string, Error> line = one_line(value, path);
    if (!line) return tl::unexpected(line.error());
    text += fmt::format("\"{}\": {},\n", key, *line);
  }
  text += "\"cells\": {";
  const char* separator = "\n";
  for (const auto& [id, line] : baseline.cells) {
    const tl::expected<std::string, Error> name = one_line(json(id), path);
    if (!name) return tl::unexpected(name.error());
    FieldWriter f;
    line_fields(f, line);
    text += fmt::format("{}{}: {}", separator, *name, f.take().dump());
    separator = ",\n";
  }
  return text + "\n}\n}\n";
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with('.')) entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::string device_folder(const std::string& device_key) {
  constexpr std::size_t kLongest = 80;
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+._";
  std::string name = device_key.substr(0, kLongest);
  for (char& c : name) {
    if (kPlain.find(c) == std::string_view::npos) c = '_';
  }
  if (name.starts_with('.')) name.front() = '_';
  if (name == device_key && !name.empty()) return name;
  return fmt::format("{}-{}", name, text_digest(device_key).substr(0, 8));
}

tl::expected<std::vector<TimingBaseline>, Error> load_timing(const std::string& folder) {
  std::vector<TimingBaseline> baselines;
  if (!fs::exists(folder)) return baselines;
  if (!fs::is_directory(folder)) return failure(folder, "a file, where the folder of timing baselines is expected");
  for (const fs::path& device : sorted_entries(folder)) {
    if (!fs::is_directory(device)) continue;
    for (const fs::path& path : sorted_entries(device)) {
      if (path.extension() != ".json") continue;
      tl::expected<TimingBaseline, Error> baseline = load_file(path);
      if (!baseline) return tl::unexpected(baseline.error());
      baselines.push_back(std::move(*baseline));
    }
  }
  return baselines;
}

tl::expected<void, Error> save_timing(const std::string& folder, const TimingBaseline& baseline) {
  if (baseline.suite.empty() || baseline.suite.front() == '.' || baseline.suite.find('/') != std::string::npos) {
    return failure(folder, fmt::format("the suite \"{}\" cannot name a file", baseline.suite));
  }
  const fs::path device = fs::path(folder) / device_folder(baseline.device.key);
  const std::string path = (device / (baseline.suite + ".json")).string();
  const tl::expected<std::string, Error> text = timing_text(baseline, path);
  if (!text) return tl::unexpected(text.error());
  if (const auto readable = parse_json(*text, path, "timing.schema.json"); !readable) {
    return tl::unexpected(readable.error());
  }
  std::error_code code;
  fs::create_directories(device, code);
  if (code) return failure(device.string(), "cannot be created: " + code.message());
  return write_text_atomically(path, *text);
}

}  // namespace narrowgate
