// One list of fields serves both directions: a record's each_field(fields, record) is called with a FieldWriter or
// with a FieldReader. Includes all of json.hpp, so only the files that read and write records include this.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "baselines/enum_names.h"
#include "baselines/error.h"
#include "baselines/record.h"
#include "baselines/strict_reader.h"

namespace narrowgate {

// Whether an empty metric is left out, or written as null because it is not finite.
enum class Empty { left_out, null };

class FieldWriter {
 public:
  using Json = nlohmann::ordered_json;

  template <class T>
  void operator()(const char* key, const T& value) {
    json_[key] = as_json(value);
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) json_[key] = as_json(*value);
  }
  template <class T>
  void nullable(const char* key, const std::optional<T>& value) {
    json_[key] = value ? as_json(*value) : Json(nullptr);
  }
  // The same members for every record: Google Benchmark's readers want them, and we know them.
  void constant(const char* key, const char* value) { json_[key] = value; }
  void metric(const char* key, const std::optional<double>& value, Empty empty) {
    if (value || empty == Empty::null) nullable(key, value);
  }
  template <class T>
  void unless_empty(const char* key, const std::vector<T>& values) {
    if (!values.empty()) json_[key] = as_json(values);
  }

  Json take() { return std::move(json_); }

 private:
  static Json as_json(const std::string& text) { return text; }
  static Json as_json(bool value) { return value; }
  static Json as_json(std::int64_t value) { return value; }
  static Json as_json(std::uint64_t value) { return value; }
  static Json as_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  template <NamedEnum E>
  static Json as_json(E value) {
    return to_string(value);
  }
  template <class T>
  static Json as_json(const std::optional<T>& value) {
    return value ? as_json(*value) : Json(nullptr);
  }
  template <class T>
  static Json as_json(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(as_json(value));
    return array;
  }

  Json json_ = Json::object();
};

// Checks types and ranges itself: a schema knows neither 64 bits nor the rows inside of a verdict.
class FieldReader {
 public:
  using Json = nlohmann::json;

  FieldReader(const Json& json, Place place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) fail_here("expected an object");
  }

  template <class T>
  void operator()(const char* key, T& value) {
    const Json* member = find(key);
    if (member == nullptr) return fail(key, "the member is missing");
    read(key, *member, value);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value) {
    if (const Json* member = find(key)) read(key, *member, value.emplace());
  }
  template <class T>
  void nullable(const char* key, std::optional<T>& value) {
    const Json* member = find(key);
    if (member != nullptr && !member->is_null()) read(key, *member, value.emplace());
  }
  void constant(const char*, const char*) {}
  void metric(const char* key, std::optional<double>& value, Empty empty) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_null()) return read(key, *member, value.emplace());
    if (empty == Empty::left_out) fail(key, "null means a value that is not finite, but nonfinite is not above 0");
  }
  template <class T>
  void unless_empty(const char* key, std::vector<T>& values) {
    if (const Json* member = find(key)) read(key, *member, values);
  }

  const Json* find(const char* key) const {
    if (!json_.is_object()) return nullptr;
    const auto member = json_.find(key);
    return member == json_.end() ? nullptr : &*member;
  }
  Place place_of(std::string_view key) const { return {place_.origin, pointer_to(place_.pointer, key)}; }

  void fail(std::string_view key, const std::string& what) { keep(place_of(key), what); }
  void fail_here(const std::string& what) { keep(place_, what); }
  void fail_with(const Error& error) {
    if (!error_) error_ = error;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void keep(const Place& place, const std::string& what) {
    const std::string pointer = place.pointer.empty() ? "/" : place.pointer;
    if (!error_) error_ = Error{place.origin + ": " + pointer + ": " + what};
  }

  void read(std::string_view key, const Json& json, std::string& value) {
    if (!json.is_string()) return fail(key, "expected a string");
    value = json.get<std::string>();
  }
  void read(std::string_view key, const Json& json, bool& value) {
    if (!json.is_boolean()) return fail(key, "expected true or false");
    value = json.get<bool>();
  }
  void read(std::string_view key, const Json& json, std::int64_t& value) {
    const bool fits = json.is_number_integer() &&
                      (!json.is_number_unsigned() ||
                       json.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    if (!fits) return fail(key, "expected an integer of 64 bits");
    value = json.get<std::int64_t>();
  }
  void read(std::string_view key, const Json& json, std::uint64_t& value) {
    const bool fits = json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
    if (!fits) return fail(key, "expected an integer of 64 bits that is not negative");
    value = json.get<std::uint64_t>();
  }
  void read(std::string_view key, const Json& json, double& value) {
    if (!json.is_number()) return fail(key, "expected a number");
    value = json.get<double>();
  }
  template <NamedEnum E>
  void read(std::string_view key, const Json& json, E& value) {
    const std::optional<E> named = json.is_string() ? from_name<E>(json.get_ref<const std::string&>()) : std::nullopt;
    if (!named) return fail(key, "unknown name " + json.dump(-1, ' ', true, Json::error_handler_t::replace));
    value = *named;
  }
  template <class T>
  void read(std::string_view key, const Json& json, std::optional<T>& value) {
    if (!json.is_null()) read(key, json, value.emplace());
  }
  template <class T>
  void read(std::string_view key, const Json& json, std::vector<T>& values) {
    if (!json.is_array()) return fail(key, "expected an array");
    values.reserve(json.size());
    for (const Json& item : json) {
      T value{};
      read(key, item, value);
      values.push_back(std::move(value));
    }
  }

  const Json& json_;
  Place place_;
  std::optional<Error> error_;
};

// The text of a JSON value on one line; text that is not UTF-8 cannot be written.
template <class Json>
tl::expected<std::string, Error> one_line(const Json& json, const std::string& what) {
  try {
    return json.dump();
  } catch (const nlohmann::json::exception&) {
    return tl::unexpected(Error{what + ": holds text that is not UTF-8"});
  }
}

}  // namespace narrowgate
