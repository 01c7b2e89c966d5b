// The embedded JSON Schemas, each compiled once.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgate {

// Longer texts than this match no pattern of ours. std::regex recurses once per character, so they are told apart
// before it sees them.
inline constexpr std::size_t kLongestPatternText = 1024;

// What of the value violates the schema, in words: "/benchmarks/3/backend: expected one of …". Nothing where it
// conforms. An unknown schema name is a mistake of the caller and throws std::logic_error.
// longest_text: bytes of the longest text in the value.
std::optional<std::string> schema_violation(const nlohmann::json& value, std::string_view schema_name,
                                            std::size_t longest_text);

// Top-level members whose keys must ascend ("x-sorted" in the schema).
std::vector<std::string> sorted_members(std::string_view schema_name);

}  // namespace narrowgate
