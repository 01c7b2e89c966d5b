// Doubles in baselines, ["0x1.8p-1", 0.75]: the hex for the program and the decimal, to 6 digits, for the reader.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace narrowgate {

nlohmann::ordered_json exact_json(double value);

// The value, or what is wrong with the pair.
tl::expected<double, std::string> exact_from_json(const nlohmann::json& pair);

}  // namespace narrowgate
