// The name that was probably meant, for messages about a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgate {

// Insertions, deletions, substitutions and swaps of neighbours, each 1.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Nothing when no name is within a third of the length of what was written. Of equals, the first.
std::optional<std::string> nearest_name(std::string_view written, const std::vector<std::string>& known);

// " Did you mean \"column\"?", or nothing.
std::string did_you_mean(std::string_view written, const std::vector<std::string>& known);

}  // namespace narrowgate
