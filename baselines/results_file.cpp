#include "baselines/results_file.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "baselines/json_fields.h"
#include "baselines/json_file.h"

namespace narrowgate {
namespace {

using nlohmann::json;

// Ids may be 10 kB long; a message shows their beginning.
std::string shown(std::string_view id) {
  constexpr std::size_t kLongest = 120;
  return id.size() <= kLongest ? std::string(id) : std::string(id.substr(0, kLongest)) + "…";
}

using Positions = std::unordered_map<std::string_view, std::size_t>;

template <class Items, class IdOf>
tl::expected<Positions, Error> positions(const Items& items, IdOf id_of, const std::string& place) {
  Positions seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view id = id_of(items[i]);
    const auto [earlier, fresh] = seen.emplace(id, i);
    if (!fresh) {
      return tl::unexpected(Error{fmt::format(": {}/{} and {}/{}: both are \"{}\"; an id stands once", place,
                                              earlier->second, place, i, shown(id))});
    }
  }
  return seen;
}

template <class Items, class Read>
auto read_items(const json& array, const std::string& origin, const std::string& pointer, Items& items, Read read)
    -> tl::expected<void, Error> {
  items.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    auto item = read(array[i], Place{origin, fmt::format("{}/{}", pointer, i)});
    if (!item) return tl::unexpected(item.error());
    items.push_back(std::move(*item));
  }
  return {};
}

template <class Items>
tl::expected<void, Error> append_lines(std::string& text, const Items& items, const std::string& origin) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const tl::expected<std::string, Error> line = one_line(items[i], origin);
    if (!line) return tl::unexpected(line.error());
    text += i == 0 ? "\n" : ",\n";
    text += *line;
  }
  return {};
}

template <class Record>
std::vector<nlohmann::ordered_json> as_json(const std::vector<Record>& records) {
  std::vector<nlohmann::ordered_json> items;
  items.reserve(records.size());
  for (const Record& record : records) items.push_back(to_json(record));
  return items;
}

std::vector<nlohmann::ordered_json> as_json(const std::vector<std::string>& ids) { return {ids.begin(), ids.end()}; }

}  // namespace

tl::expected<void, Error> check_results(const Results& results, const std::string& origin) {
  const auto in_file = [&](const Error& error) { return tl::unexpected(Error{origin + error.message}); };
  const auto manifest = positions(results.manifest, [](const std::string& id) -> std::string_view { return id; },
                                  "/manifest");
  if (!manifest) return in_file(manifest.error());
  const auto rows = positions(results.benchmarks, [](const Row& row) -> std::string_view { return row.id; },
                              "/benchmarks");
  if (!rows) return in_file(rows.error());
  const auto cases = positions(results.cases, [](const CaseProfile& profile) -> std::string_view { return profile.id; },
                               "/cases");
  if (!cases) return in_file(cases.error());
  for (std::size_t i = 0; i < results.benchmarks.size(); ++i) {
    const std::string& id = results.benchmarks[i].id;
    if (manifest->contains(id)) continue;
    return tl::unexpected(
        Error{fmt::format("{}: /benchmarks/{}/id: \"{}\" is not in the manifest", origin, i, shown(id))});
  }
  return {};
}

tl::expected<Results, Error> parse_results(std::string_view text, const std::string& origin) {
  tl::expected<json, Error> whole = parse_json(text, origin, "results.schema.json");
  if (!whole) return tl::unexpected(whole.error());
  Results results;
  tl::expected<RunContext, Error> context = context_from_json((*whole)["context"], {origin, "/context"});
  if (!context) return tl::unexpected(context.error());
  results.context = std::move(*context);
  results.manifest = (*whole)["manifest"].get<std::vector<std::string>>();
  const auto read =
      read_items((*whole)["cases"], origin, "/cases", results.cases, case_from_json)
          .and_then([&] {
            return read_items((*whole)["benchmarks"], origin, "/benchmarks", results.benchmarks, row_from_json);
          })
          .and_then([&] { return check_results(results, origin); });
  if (!read) return tl::unexpected(read.error());
  return results;
}

tl::expected<Results, Error> read_results(const std::string& path) {
  const tl::expected<std::string, Error> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_results(*text, path);
}

tl::expected<void, Error> write_results(const std::string& path, const Results& results) {
  if (const auto sound = check_results(results, path); !sound) return sound;
  const tl::expected<std::string, Error> context = one_line(to_json(results.context), path);
  if (!context) return tl::unexpected(context.error());
  std::string text = "{\n\"schema\": \"narrowgate.results/1\",\n\"context\": " + *context + ",\n\"manifest\": [";
  if (const auto done = append_lines(text, as_json(results.manifest), path); !done) return done;
  text += "\n],\n\"cases\": [";
  if (const auto done = append_lines(text, as_json(results.cases), path); !done) return done;
  text += "\n],\n\"benchmarks\": [";
  if (const auto done = append_lines(text, as_json(results.benchmarks), path); !done) return done;
  text += "\n]\n}\n";
  if (const auto readable = parse_results(text, path); !readable) return tl::unexpected(readable.error());
  return write_text_atomically(path, text);
}

}  // namespace narrowgate
