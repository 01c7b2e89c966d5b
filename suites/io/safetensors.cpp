#include "suites/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace narrowgate::io {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kLongestHeader = 100'000'000;  // the reference reader's limit

struct TypeName {
  std::string_view text;
  ElementType type;
};

constexpr TypeName kTypeNames[] = {
    {"F64", ElementType::f64}, {"F32", ElementType::f32},  {"F16", ElementType::f16}, {"BF16", ElementType::bf16},
    {"I64", ElementType::i64}, {"I32", ElementType::i32},  {"I16", ElementType::i16}, {"I8", ElementType::i8},
    {"U64", ElementType::u64}, {"U32", ElementType::u32},  {"U16", ElementType::u16}, {"U8", ElementType::u8},
    {"BOOL", ElementType::boolean},
};

struct Located {
  Tensor tensor;
  std::size_t begin;
  std::size_t end;
};

bool is_offsets(const json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_number_unsigned() && value[1].is_number_unsigned();
}

bool is_shape(const json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& n) {
    return n.is_number_unsigned() && n.get<std::uint64_t>() < std::uint64_t{1} << 62;
  });
}

// The entry of one tensor, checked against itself; its bytes are still missing.
OrIoError<Located> locate(const std::string& name, const json& entry, const std::string& file) {
  const std::string place = "tensor " + name;
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
      !is_shape(entry["shape"]) || !entry.contains("data_offsets") || !is_offsets(entry["data_offsets"])) {
    return error_at(file, place, "an object of dtype, shape and data_offsets");
  }
  const auto text = entry["dtype"].get<std::string>();
  const auto* type = std::find_if(std::begin(kTypeNames), std::end(kTypeNames), [&](const TypeName& t) { return t.text == text; });
  if (type == std::end(kTypeNames)) return error_at(file, place, fmt::format("a known dtype such as F32, found {}", text));
  Located located{{name, type->type, entry["shape"].get<std::vector<std::int64_t>>(), {}},
                  entry["data_offsets"][0].get<std::size_t>(), entry["data_offsets"][1].get<std::size_t>()};
  const auto size = byte_count(located.tensor.type, located.tensor.shape);
  if (!size) return error_at(file, place, size.error());
  if (located.end < located.begin || located.end - located.begin != *size) {
    return error_at(file, place, fmt::format("{} bytes for {} {}, found offsets [{}, {}]", *size, name_of(type->type),
                                             shape_text(located.tensor.shape), located.begin, located.end));
  }
  return located;
}

// Gives each tensor its bytes; they must cover the data without gap or overlap.
OrIoError<std::vector<Tensor>> take_bytes(std::vector<Located> located, std::span<const std::uint8_t> data,
                                          const std::string& file) {
  std::stable_sort(located.begin(), located.end(),
                   [](const Located& a, const Located& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::vector<Tensor> tensors;
  std::size_t at = 0;
  for (Located& entry : located) {
    const std::string place = "tensor " + entry.tensor.name;
    if (entry.begin != at) return error_at(file, place, fmt::format("data at offset {}, found {}", at, entry.begin));
    if (entry.end > data.size()) {
      return error_at(file, place, fmt::format("{} bytes of data, found {}; the file is cut short", entry.end, data.size()));
    }
    const auto bytes = data.subspan(entry.begin, entry.end - entry.begin);
    entry.tensor.bytes.assign(bytes.begin(), bytes.end());
    tensors.push_back(std::move(entry.tensor));
    at = entry.end;
  }
  if (at != data.size()) return error_at(file, "end", fmt::format("{} bytes of data, found {}", at, data.size()));
  return tensors;
}

}  // namespace

OrIoError<std::vector<Tensor>> parse_safetensors(std::span<const std::uint8_t> bytes, const std::string& file) {
  if (bytes.size() < kLengthBytes) return error_at(file, "byte 0", "eight bytes of header length");
  std::size_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | bytes[i];
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
    return error_at(file, "byte 0", fmt::format("a header within the file, found length {}", length));
  }
  const auto text = bytes.subspan(kLengthBytes, length);
  const json header = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return error_at(file, "header", "a JSON object");
  std::vector<Located> located;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    auto tensor = locate(name, entry, file);
    if (!tensor) return tl::unexpected(tensor.error());
    located.push_back(std::move(*tensor));
  }
  return take_bytes(std::move(located), bytes.subspan(kLengthBytes + length), file);
}

OrIoError<std::vector<Tensor>> read_safetensors(const std::string& path) {
  return read_file(path).and_then([&](const std::vector<std::uint8_t>& bytes) { return parse_safetensors(bytes, path); });
}

OrIoError<void> write_safetensors(const std::string& path, const std::vector<Tensor>& tensors) {
  json header = json::object();
  std::vector<std::uint8_t> data;
  for (const Tensor& tensor : tensors) {
    const auto* type = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                    [&](const TypeName& entry) { return entry.type == tensor.type; });
    const std::size_t begin = data.size();
    data.insert(data.end(), tensor.bytes.begin(), tensor.bytes.end());
    header[tensor.name] = {{"dtype", type->text}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // data stay aligned
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes.push_back(static_cast<std::uint8_t>(text.size() >> 8 * i));
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return write_file(path, bytes);
}

}  // namespace narrowgate::io
