#include "baselines/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "baselines/schema.h"
#include "baselines/strict_reader.h"

namespace narrowgate {

tl::expected<nlohmann::json, Error> parse_json(std::string_view text, const std::string& origin,
                                               std::string_view schema_name) {
  StrictRead read = read_strictly(text);
  if (!read.failure.empty()) return tl::unexpected(Error{fmt::format("{}: {}", origin, read.failure)});
  if (schema_name == kNoSchema) return std::move(read.value);
  if (const auto violation = schema_violation(read.value, schema_name, read.longest_text)) {
    return tl::unexpected(Error{fmt::format("{}: {}", origin, *violation)});
  }
  for (const std::string& member : sorted_members(schema_name)) {
    const auto found = read.unordered.find(member);
    if (found == read.unordered.end()) continue;
    const std::string place = pointer_to(pointer_to("", member), found->second);
    return tl::unexpected(Error{fmt::format("{}: {}: not in ascending order of the names", origin, place)});
  }
  return std::move(read.value);
}

tl::expected<nlohmann::json, Error> read_json(const std::string& path, std::string_view schema_name) {
  tl::expected<std::string, Error> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_json(*text, path, schema_name);
}

}  // namespace narrowgate
