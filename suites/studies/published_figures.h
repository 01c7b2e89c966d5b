// The figures of others that are compiled into the program (baselines/published).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace narrowgate::studies {

// "day98_t4.json". A name that is not there is a mistake of the caller and throws std::logic_error.
nlohmann::json published_figures(std::string_view file);

}  // namespace narrowgate::studies
