// Says in words where a value violates a schema and what was expected. Whether it does is for the validator to say.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace narrowgate {

// The first violation of the keywords that this project's schemas use, as "/place: what was expected".
std::optional<std::string> violation_in_words(const nlohmann::json& schema, const nlohmann::json& value);

// For a file of another kind or of another version than the schema describes.
std::optional<std::string> version_in_words(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace narrowgate
