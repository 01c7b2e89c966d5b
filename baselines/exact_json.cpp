#include "baselines/exact_json.h"

#include <fmt/format.h>

#include "baselines/hex_float.h"

namespace narrowgate {

using nlohmann::json;

nlohmann::ordered_json exact_json(double value) {
  return nlohmann::ordered_json::array({hex_float(value), six_digits(value)});
}

tl::expected<double, std::string> exact_from_json(const json& pair) {
  const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_number();
  if (!is_pair) return tl::unexpected(std::string("expected [\"hex float\", decimal]"));
  const auto hex = parse_hex_float(pair[0].get_ref<const std::string&>());
  if (!hex) return tl::unexpected(fmt::format("{} is not a hex float as this program writes it", pair[0].dump()));
  if (!(pair[1].get<double>() == six_digits(*hex))) {
    return tl::unexpected(fmt::format("{} is {:.6g}, but the decimal beside it is {}; edited by hand?", pair[0].dump(),
                                      *hex, pair[1].dump()));
  }
  return *hex;
}

}  // namespace narrowgate
