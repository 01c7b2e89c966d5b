// The embedded JSON Schemas, each compiled once.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgate {

// What of the value violates the schema, in words: "/benchmarks/3/backend: expected one of …". Nothing where it
// conforms. An unknown schema name is a mistake of the caller and throws std::logic_error.
std::optional<std::string> schema_violation(const nlohmann::json& value, std::string_view schema_name);

// Top-level members whose keys must ascend ("x-sorted" in the schema).
std::vector<std::string> sorted_members(std::string_view schema_name);

}  // namespace narrowgate
