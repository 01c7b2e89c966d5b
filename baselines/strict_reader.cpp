#include "baselines/strict_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace narrowgate {
namespace {

using nlohmann::json;

// Beyond it, code that walks the value recursively could be made to run out of stack.
constexpr std::size_t kDeepest = 64;

class Builder {
 public:
  Builder(std::string_view text, StrictRead& read) : text_(text), read_(read) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) { return add(value); }
  bool number_float(json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) {
    read_.longest_text = std::max(read_.longest_text, value.size());
    return add(std::move(value));
  }
  bool binary(json::binary_t& value) { return add(std::move(value)); }
  bool start_object(std::size_t) { return open(json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    if (frame.value->contains(name)) {
      read_.failure = fmt::format("{}: the key occurs twice", pointer_to(pointer(frames_.size() - 1), name));
      return false;
    }
    if (frames_.size() == 2 && !frame.value->empty() && name < frame.key) {
      read_.unordered.emplace(frames_.front().key, name);
    }
    frame.key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : std::min(position - 1, text_.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    read_.failure = fmt::format("line {}, column {}: {}", line, column, explanation(before, error));
    return false;
  }

 private:
  struct Frame {
    json* value;      // stays where it is: its parent does not grow until this frame is closed
    std::string key;  // the member being read
  };

  std::string pointer(std::size_t depth) const {
    std::string place;
    for (std::size_t i = 0; i < depth; ++i) {
      const Frame& frame = frames_[i];
      place = pointer_to(place, frame.value->is_array() ? fmt::format("{}", frame.value->size() - 1) : frame.key);
    }
    return place;
  }

  json* place(json value) {
    if (frames_.empty()) {
      read_.value = std::move(value);
      return &read_.value;
    }
    json& parent = *frames_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[frames_.back().key] = std::move(value));
  }

  bool add(json value) {
    place(std::move(value));
    return true;
  }

  bool open(json value) {
    if (frames_.size() == kDeepest) {
      read_.failure = fmt::format("{}: nested deeper than {} levels", pointer(frames_.size() - 1), kDeepest);
      return false;
    }
    json* const placed = place(std::move(value));
    frames_.push_back({placed, {}});
    return true;
  }

  bool close() {
    frames_.pop_back();
    return true;
  }

  std::string explanation(std::string_view before, const nlohmann::detail::exception& error) const {
    // The word around the place: the parser stops inside of it.
    constexpr std::string_view kWord = "NaInfity+-";
    const std::size_t last_other = before.find_last_not_of(kWord);
    const std::size_t start = last_other == std::string_view::npos ? 0 : last_other + 1;
    const std::string_view word = text_.substr(start, 9);
    for (const std::string_view bare : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-NaN", "-nan"}) {
      if (word.starts_with(bare)) {
        return fmt::format("{} is not JSON; a value that is not finite is written as null", bare);
      }
    }
    // The library's own words, without its prefix and its place.
    const std::string_view said = error.what();
    const std::size_t place = said.find("column ");
    const std::size_t colon = said.find(": ", place == std::string_view::npos ? 0 : place);
    if (colon != std::string_view::npos) return std::string(said.substr(colon + 2));
    return std::string(said.substr(std::min(said.size(), said.find("] ") + 2)));
  }

  std::string_view text_;
  StrictRead& read_;
  std::vector<Frame> frames_;
};

}  // namespace

std::string pointer_to(const std::string& parent, std::string_view key) {
  std::string pointer = parent + '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

StrictRead read_strictly(std::string_view text) {
  StrictRead read;
  Builder builder(text, read);
  if (!json::sax_parse(text, &builder) && read.failure.empty()) read.failure = "line 1, column 1: not JSON";
  return read;
}

}  // namespace narrowgate
