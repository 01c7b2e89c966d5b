#include "baselines/text_escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace narrowgate {
namespace {

struct Character {
  std::string_view bytes;
  std::optional<char32_t> code;  // empty: a byte that is not UTF-8
};

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The first character of a text that is not empty. Overlong forms pass as the character they spell, which is then
// judged like any other.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  if (length == 0 || length > text.size()) return {text.substr(0, 1), std::nullopt};
  if (length == 1) return {text.substr(0, 1), lead};
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return {text.substr(0, 1), std::nullopt};
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  return {text.substr(0, length), code};
}

bool between(char32_t code, char32_t first, char32_t last) { return first <= code && code <= last; }

bool hidden(const Character& character) {
  if (!character.code) return true;
  const char32_t code = *character.code;
  return code < 0x20 || between(code, 0x7F, 0x9F) || code == 0xAD || code == 0x61C || between(code, 0x200B, 0x200F) ||
         between(code, 0x2028, 0x202E) || between(code, 0x2060, 0x2069) || code == 0xFEFF;
}

template <class Visit>
void each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const Character character = first_character(text);
    visit(character);
    text.remove_prefix(character.bytes.size());
  }
}

bool any_hidden(std::string_view text) {
  bool any = false;
  each_character(text, [&](const Character& character) { any = any || hidden(character); });
  return any;
}

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  each_character(text, [&](const Character& character) {
    if (!character.code) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(character.bytes.front()));
    } else if (hidden(character)) {
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*character.code));
    } else {
      shown += character.bytes;
    }
  });
  return shown;
}

std::string markdown_escaped(std::string_view text) {
  const std::string shown = visible(text);
  std::string escaped;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const bool in_word = i > 0 && i + 1 < shown.size() && is_alphanumeric(shown[i - 1]) && is_alphanumeric(shown[i + 1]);
    if (c == '&' || c == '<' || c == '>' || c == '@' || c == '|' || c == '`') {
      escaped += fmt::format("&#{};", static_cast<int>(c));  // also inside of what would be code or a table
    } else if (c == ':' && std::string_view(shown).substr(i).starts_with("://")) {
      escaped += "&#58;";  // no link is made of it
    } else if (std::string_view("\\*[]~#!").find(c) != std::string_view::npos || (c == '_' && !in_word)) {
      escaped += '\\';
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string shell_quoted(std::string_view text) {
  const bool escapes = any_hidden(text);
  std::string quoted = escapes ? "$'" : "'";
  each_character(text, [&](const Character& character) {
    if (hidden(character)) {
      for (const char byte : character.bytes) quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else if (character.bytes == "'") {
      quoted += escapes ? "\\'" : "'\\''";
    } else if (character.bytes == "\\" && escapes) {
      quoted += "\\\\";
    } else {
      quoted += character.bytes;
    }
  });
  return quoted + "'";
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || std::string_view("._/+-:=,").find(c) != std::string_view::npos;
  });
  return plain ? std::string(text) : shell_quoted(text);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  constexpr std::size_t kEnd = 40;
  if (text.size() <= kLongest) return std::string(text);
  std::size_t head = kLongest - kEnd;
  while (head > 0 && continues(text[head])) --head;
  std::size_t tail = text.size() - kEnd;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return fmt::format("{}…{}", text.substr(0, head), text.substr(tail));
}

}  // namespace narrowgate
