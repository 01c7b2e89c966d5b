// Fractions of the bounds of bounded kernels: baselines/bounded/<device folder>.json.
#include <fmt/format.h>

#include "baselines/exact_json.h"
#include "baselines/json_fields.h"
#include "baselines/json_file.h"
#include "baselines/store.h"

namespace narrowgate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kSchema = "bounded.schema.json";

tl::unexpected<Error> failure(const std::string& place, const std::string& what) {
  return tl::unexpected(Error{fmt::format("{}: {}", place, what)});
}

tl::expected<void, Error> load_device(const fs::path& path, BoundedBaseline& baseline) {
  const tl::expected<json, Error> whole = read_json(path.string(), kSchema);
  if (!whole) return tl::unexpected(whole.error());
  const std::string key = (*whole)["device_key"].get<std::string>();
  if (device_folder(key) != path.stem().string()) {
    return failure(path.string(), fmt::format("/device_key: a file of this key is called {}.json", device_folder(key)));
  }
  BoundedBaseline::Cells& cells = baseline.devices[key];
  for (const auto& [id, pair] : (*whole)["cells"].items()) {
    const std::string place = fmt::format("{}: {}", path.string(), pointer_to("/cells", id));
    const tl::expected<double, std::string> fraction = exact_from_json(pair);
    if (!fraction) return failure(place, fraction.error());
    // A cell that used more had failed, and was not accepted.
    if (!(*fraction >= 0.0 && *fraction <= 1.0)) return failure(place, "expected a fraction from 0 to 1");
    cells.emplace(id, *fraction);
  }
  return {};
}

tl::expected<std::string, Error> device_text(const std::string& key, const BoundedBaseline::Cells& cells,
                                             const std::string& path) {
  const tl::expected<std::string, Error> name = one_line(json(key), path);
  if (!name) return name;
  std::string text =
      fmt::format("{{\n\"schema\": \"narrowgate.bounded/1\",\n\"device_key\": {},\n\"cells\": {{", *name);
  const char* separator = "\n";
  for (const auto& [id, fraction] : cells) {
    const tl::expected<std::string, Error> cell = one_line(json(id), path);
    if (!cell) return cell;
    text += fmt::format("{}{}: {}", separator, *cell, exact_json(fraction).dump());
    separator = ",\n";
  }
  return text + "\n}\n}\n";
}

}  // namespace

std::optional<std::string> bounded_key(const Row& row, const RunContext& context) {
  if (row.backend == Row::Backend::simt) return std::string(kSimtKey);
  const auto device = context.devices.find(std::string(to_string(row.backend)));
  if (device == context.devices.end()) return std::nullopt;
  return device->second.key;
}

tl::expected<BoundedBaseline, Error> load_bounded(const std::string& folder) {
  BoundedBaseline baseline;
  if (!fs::exists(folder)) return baseline;
  if (!fs::is_directory(folder)) return failure(folder, "a file, where the folder of bounded baselines is expected");
  for (const fs::path& path : json_files(folder)) {
    if (const auto loaded = load_device(path, baseline); !loaded) return tl::unexpected(loaded.error());
  }
  return baseline;
}

tl::expected<void, Error> save_bounded(const std::string& folder, const BoundedBaseline& baseline) {
  std::error_code code;
  if (!baseline.devices.empty()) fs::create_directories(folder, code);
  if (code) return failure(folder, "cannot be created: " + code.message());
  for (const auto& [key, cells] : baseline.devices) {
    const std::string path = (fs::path(folder) / (device_folder(key) + ".json")).string();
    const tl::expected<std::string, Error> text = device_text(key, cells, path);
    if (!text) return tl::unexpected(text.error());
    if (const auto readable = parse_json(*text, path, kSchema); !readable) return tl::unexpected(readable.error());
    if (const auto old = read_text(path); old && *old == *text) continue;
    if (const auto written = write_text_atomically(path, *text); !written) return written;
  }
  return {};
}

}  // namespace narrowgate
