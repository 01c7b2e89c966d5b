#include "baselines/schema_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <vector>

#include "baselines/nearest.h"
#include "baselines/schema.h"
#include "baselines/strict_reader.h"

namespace narrowgate {
namespace {

using nlohmann::json;
using Words = std::optional<std::string>;

// A value as it stands in the file, cut to what fits a message.
std::string shown(const json& value) {
  constexpr std::size_t kLongest = 80;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

std::string type_of(const json& value) {
  if (value.is_number_integer()) return "integer";
  return value.type_name();
}

bool has_type(const json& value, const std::string& type) {
  return type_of(value) == type || (type == "number" && value.is_number());
}

Words wrong_type(const json& schema, const json& value) {
  if (!schema.contains("type")) return std::nullopt;
  const json& wanted = schema["type"];
  const std::vector<std::string> types =
      wanted.is_array() ? wanted.get<std::vector<std::string>>() : std::vector{wanted.get<std::string>()};
  for (const std::string& type : types) {
    if (has_type(value, type)) return std::nullopt;
  }
  return fmt::format("expected {}, found {}", fmt::join(types, " or "), shown(value));
}

Words wrong_choice(const json& schema, const json& value) {
  if (schema.contains("const") && value != schema["const"]) {
    return fmt::format("expected {}, found {}", schema["const"].dump(), shown(value));
  }
  if (!schema.contains("enum")) return std::nullopt;
  std::vector<std::string> allowed;
  std::vector<std::string> names;
  for (const json& choice : schema["enum"]) {
    if (choice == value) return std::nullopt;
    allowed.push_back(choice.dump());
    if (choice.is_string()) names.push_back(choice.get<std::string>());
  }
  const std::string hint = value.is_string() ? did_you_mean(value.get<std::string>(), names) : "";
  return fmt::format("expected one of {}, found {}.{}", fmt::join(allowed, ", "), shown(value), hint);
}

// Of UTF-8, which the reader has checked: every byte but the continuing ones starts a character.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

Words wrong_text(const json& schema, const json& value) {
  if (!value.is_string()) return std::nullopt;
  const std::string text = value.get<std::string>();
  if (text.size() < schema.value("minLength", std::size_t{0})) return "expected text that is not empty";
  if (schema.contains("maxLength") && characters(text) > schema["maxLength"].get<std::size_t>()) {
    return fmt::format("expected at most {} characters, found {}", schema["maxLength"].dump(), characters(text));
  }
  if (!schema.contains("pattern")) return std::nullopt;
  const std::string pattern = schema["pattern"].get<std::string>();
  const bool matches = text.size() <= kLongestPatternText && std::regex_search(text, std::regex(pattern));
  if (matches) return std::nullopt;
  return fmt::format("expected text of the form {}, found {}", pattern, shown(value));
}

Words wrong_number(const json& schema, const json& value) {
  if (!value.is_number()) return std::nullopt;
  if (schema.contains("minimum") && !(value >= schema["minimum"])) {
    return fmt::format("expected at least {}, found {}", schema["minimum"].dump(), shown(value));
  }
  if (schema.contains("exclusiveMinimum") && !(value > schema["exclusiveMinimum"])) {
    return fmt::format("expected more than {}, found {}", schema["exclusiveMinimum"].dump(), shown(value));
  }
  return std::nullopt;
}

Words wrong_length(const json& schema, const json& value) {
  if (!value.is_array()) return std::nullopt;
  const std::size_t least = schema.value("minItems", std::size_t{0});
  if (value.size() < least) return fmt::format("expected at least {} items, found {}", least, value.size());
  if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<std::size_t>()) {
    return fmt::format("expected at most {} items, found {}", schema["maxItems"].dump(), value.size());
  }
  return std::nullopt;
}

Words missing_member(const json& schema, const json& value) {
  if (!value.is_object()) return std::nullopt;
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name.get<std::string>())) return fmt::format("the member {} is missing", name.dump());
  }
  return std::nullopt;
}

class Walk {
 public:
  explicit Walk(const json& root) : root_(root) {}

  Words at(const json& schema, const json& value, const std::string& place) const {
    if (schema.contains("$ref")) return at(referenced(schema["$ref"].get<std::string>()), value, place);
    for (const auto& check : {wrong_type, wrong_choice, wrong_text, wrong_number, wrong_length}) {
      if (Words words = check(schema, value)) return said_at(place, *words);
    }
    if (value.is_object()) return in_members(schema, value, place);
    if (value.is_array() && schema.contains("items")) return in_items(schema["items"], value, place);
    return std::nullopt;
  }

 private:
  static std::string said_at(const std::string& place, const std::string& words) {
    return fmt::format("{}: {}", place.empty() ? "/" : place, words);
  }

  const json& referenced(const std::string& reference) const {
    return root_.at(json::json_pointer(reference.substr(1)));  // "#/definitions/…"
  }

  // An unknown member comes before a missing one: a misspelling is both, and the first says more.
  Words in_members(const json& schema, const json& value, const std::string& place) const {
    static const json kNone = json::object();
    static const json kAny = true;
    const json& properties = schema.contains("properties") ? schema["properties"] : kNone;
    const json& others = schema.contains("additionalProperties") ? schema["additionalProperties"] : kAny;
    for (const auto& [name, member] : value.items()) {
      const std::string member_place = pointer_to(place, name);
      if (properties.contains(name)) {
        if (Words words = at(properties[name], member, member_place)) return words;
      } else if (others.is_object()) {
        if (Words words = at(others, member, member_place)) return words;
      } else if (others == false) {
        std::vector<std::string> known;
        for (const auto& property : properties.items()) known.push_back(property.key());
        return said_at(member_place, "unknown member." + did_you_mean(name, known));
      }
    }
    if (Words words = missing_member(schema, value)) return said_at(place, *words);
    return std::nullopt;
  }

  Words in_items(const json& schema, const json& value, const std::string& place) const {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (schema.is_array() && i >= schema.size()) break;
      const json& item = schema.is_array() ? schema[i] : schema;
      if (Words words = at(item, value[i], fmt::format("{}/{}", place, i))) return words;
    }
    return std::nullopt;
  }

  const json& root_;
};

}  // namespace

Words violation_in_words(const json& schema, const json& value) { return Walk(schema).at(schema, value, ""); }

Words version_in_words(const json& schema, const json& value) {
  const json::json_pointer place("/properties/schema/const");
  if (!schema.contains(place)) return std::nullopt;
  const std::string wanted = schema.at(place).get<std::string>();
  if (!value.is_object()) return fmt::format("/: expected an object of schema \"{}\", found {}", wanted, shown(value));
  if (!value.contains("schema")) return fmt::format("/: the member \"schema\" is missing; expected \"{}\"", wanted);
  const json& found = value["schema"];
  if (found == wanted) return std::nullopt;
  const std::string kind = wanted.substr(0, wanted.find('/') + 1);
  if (found.is_string() && found.get<std::string>().starts_with(kind)) {
    return fmt::format("/schema: this program understands \"{}\", found {}; a newer version needs a newer narrowgate",
                       wanted, shown(found));
  }
  return fmt::format("/schema: expected \"{}\", found {}", wanted, shown(found));
}

}  // namespace narrowgate
