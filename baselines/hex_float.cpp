#include "baselines/hex_float.h"

#include <array>
#include <charconv>
#include <cmath>

namespace narrowgate {
namespace {

// to_chars and from_chars know no locale, unlike printf and strtod.
template <class... Format>
std::string printed(double value, Format... format) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return {buffer.data(), end.ptr};
}

}  // namespace

std::string hex_float(double value) {
  const std::string_view sign = std::signbit(value) ? "-" : "";
  return std::string(sign) + "0x" + printed(std::fabs(value), std::chars_format::hex);
}

std::optional<double> parse_hex_float(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  if (!digits.starts_with("0x")) return std::nullopt;
  digits.remove_prefix(2);
  double value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::hex);
  if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  value = negative ? -value : value;
  if (hex_float(value) != text) return std::nullopt;
  return value;
}

double six_digits(double value) {
  const std::string text = printed(value, std::chars_format::general, 6);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

}  // namespace narrowgate
