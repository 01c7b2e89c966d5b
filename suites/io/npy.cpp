#include "suites/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace narrowgate::io {
namespace {

constexpr std::array<std::uint8_t, 6> kMagic = {0x93, 'N', 'U', 'M', 'P', 'Y'};
constexpr std::size_t kAlignment = 64;

struct Descriptor {
  std::string_view text;
  ElementType type;
};

constexpr Descriptor kDescriptors[] = {
    {"<f8", ElementType::f64}, {"<f4", ElementType::f32}, {"<f2", ElementType::f16}, {"<i8", ElementType::i64},
    {"<i4", ElementType::i32}, {"<i2", ElementType::i16}, {"|i1", ElementType::i8},  {"<u8", ElementType::u64},
    {"<u4", ElementType::u32}, {"<u2", ElementType::u16}, {"|u1", ElementType::u8},  {"|b1", ElementType::boolean},
};

struct Header {
  std::string descriptor;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

// Reads the header's Python dictionary: three known keys, each with a string, a bool or a tuple of integers.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> read() {
    Header header;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const std::optional<std::string> key = string();
      if (!key || !take(':') || !value_of(*key, header)) return std::nullopt;
      if (!take(',') && !peek('}')) return std::nullopt;
    }
    if (header.descriptor.empty() || !header.fortran_order || !header.shape) return std::nullopt;
    return header;
  }

 private:
  bool value_of(const std::string& key, Header& header) {
    if (key == "descr") {
      const auto value = string();
      header.descriptor = value.value_or("");
      return value.has_value();
    }
    if (key == "fortran_order") return (header.fortran_order = boolean()).has_value();
    if (key == "shape") return (header.shape = tuple()).has_value();
    return false;
  }

  std::optional<std::string> string() {
    skip_space();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  std::optional<bool> boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.substr(0, word.size()) == word) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<std::vector<std::int64_t>> tuple() {
    std::vector<std::int64_t> values;
    if (!take('(')) return std::nullopt;
    while (!take(')')) {
      const std::optional<std::int64_t> value = integer();
      if (!value) return std::nullopt;
      values.push_back(*value);
      if (!take(',') && !peek(')')) return std::nullopt;
    }
    return values;
  }

  std::optional<std::int64_t> integer() {
    skip_space();
    std::size_t digits = 0;
    std::int64_t value = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      if (digits == 18) return std::nullopt;  // beyond any array
      value = value * 10 + (text_[digits] - '0');
    }
    if (digits == 0) return std::nullopt;
    text_.remove_prefix(digits);
    return value;
  }

  void skip_space() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n\t"), text_.size())); }
  bool peek(char expected) {
    skip_space();
    return !text_.empty() && text_[0] == expected;
  }
  bool take(char expected) {
    if (!peek(expected)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

std::size_t little_endian(std::span<const std::uint8_t> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

const Descriptor* find_descriptor(std::string_view text) {
  const auto* found = std::find_if(std::begin(kDescriptors), std::end(kDescriptors),
                                   [text](const Descriptor& descriptor) { return descriptor.text == text; });
  return found == std::end(kDescriptors) ? nullptr : found;
}

}  // namespace

OrIoError<Tensor> parse_npy(std::span<const std::uint8_t> bytes, const std::string& file) {
  if (bytes.size() < 10 || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    return error_at(file, "byte 0", "the magic of an .npy file, \\x93NUMPY");
  }
  const int version = bytes[6];
  if (version < 1 || version > 3) return error_at(file, "byte 6", fmt::format(".npy format 1, 2 or 3, found {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_at = 8 + length_bytes;
  if (bytes.size() < header_at) return error_at(file, "byte 8", "the length of the header");
  const std::size_t header_length = little_endian(bytes.subspan(8, length_bytes));
  if (header_length > bytes.size() - header_at) {
    return error_at(file, "header", fmt::format("{} bytes, found {}", header_length, bytes.size() - header_at));
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data() + header_at);
  const std::optional<Header> header = HeaderReader({text, header_length}).read();
  if (!header) return error_at(file, "header", "a dictionary of descr, fortran_order and shape");
  const Descriptor* descriptor = find_descriptor(header->descriptor);
  if (descriptor == nullptr) {
    return error_at(file, "header", fmt::format("a little-endian number type such as '<f4', found '{}'", header->descriptor));
  }
  if (*header->fortran_order) {
    return error_at(file, "header", "C order, found fortran_order True (save numpy.ascontiguousarray(x))");
  }
  const auto size = byte_count(descriptor->type, *header->shape);
  if (!size) return error_at(file, "header", size.error());
  const auto data = bytes.subspan(header_at + header_length);
  if (data.size() != *size) {
    return error_at(file, fmt::format("byte {}", header_at + header_length),
                    fmt::format("{} bytes of {} {}, found {}", *size, name_of(descriptor->type),
                                shape_text(*header->shape), data.size()));
  }
  return Tensor{"", descriptor->type, *header->shape, {data.begin(), data.end()}};
}

OrIoError<Tensor> read_npy(const std::string& path) {
  return read_file(path).and_then([&](const std::vector<std::uint8_t>& bytes) { return parse_npy(bytes, path); });
}

OrIoError<std::vector<std::uint8_t>> npy_bytes(const Tensor& tensor) {
  const auto* descriptor = std::find_if(std::begin(kDescriptors), std::end(kDescriptors),
                                        [&](const Descriptor& entry) { return entry.type == tensor.type; });
  if (descriptor == std::end(kDescriptors)) {
    return error_at(tensor.name, "type", fmt::format("a type that NumPy has, found {}", name_of(tensor.type)));
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descriptor->text,
                                   shape_text(tensor.shape));
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header.push_back('\n');
  std::vector<std::uint8_t> bytes(kMagic.begin(), kMagic.end());
  for (const std::size_t field : {std::size_t{1}, std::size_t{0}, header.size() & 0xFF, header.size() >> 8}) {
    bytes.push_back(static_cast<std::uint8_t>(field));
  }
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

OrIoError<void> write_npy(const std::string& path, const Tensor& tensor) {
  return npy_bytes(tensor).and_then([&](const std::vector<std::uint8_t>& bytes) { return write_file(path, bytes); });
}

}  // namespace narrowgate::io
