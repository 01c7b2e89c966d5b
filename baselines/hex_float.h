// Doubles as text that loses nothing: "0x1.8p-1", what "%a" prints, in lower case and with '.' in every locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace narrowgate {

// NaN and infinities have no such text; the caller has excluded them.
std::string hex_float(double value);

// Only the spelling that hex_float gives is read, so that one value has one text.
std::optional<double> parse_hex_float(std::string_view text);

// The value to 6 significant digits, as the double nearest to that decimal.
double six_digits(double value);

}  // namespace narrowgate
