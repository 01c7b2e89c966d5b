// Strict JSON: what does not conform is refused with its place, and never treated as empty.
//
// Refused beyond ordinary syntax errors: NaN and Infinity, duplicate keys, numbers beyond double, nesting deeper than
// 64, and every violation of the schema. An unknown key is answered with the nearest allowed one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "baselines/error.h"
#include "baselines/text_file.h"

namespace narrowgate {

// For files of others, of which only the syntax is known.
inline constexpr std::string_view kNoSchema = "";

// schema_name is an embedded file, "results.schema.json", or a definition in it, "results.schema.json#/definitions/row".
// origin names the text in messages: the path, or "results.json.journal, line 3".
tl::expected<nlohmann::json, Error> parse_json(std::string_view text, const std::string& origin,
                                               std::string_view schema_name);

tl::expected<nlohmann::json, Error> read_json(const std::string& path, std::string_view schema_name);

}  // namespace narrowgate
