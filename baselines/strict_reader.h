// Builds a JSON value and watches what the library lets pass: duplicate keys, and the order of keys.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgate {

// One member deeper in a JSON pointer (RFC 6901).
std::string pointer_to(const std::string& parent, std::string_view key);

struct StrictRead {
  nlohmann::json value;
  std::size_t longest_text = 0;                 // bytes, of the values
  std::string failure;                          // "line 3, column 7: …" or "/cases/0: …"; empty where it was read
  std::map<std::string, std::string> unordered;  // top-level member → its first key that is not in ascending order
};

StrictRead read_strictly(std::string_view text);

}  // namespace narrowgate
