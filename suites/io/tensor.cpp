#include "suites/io/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "kernels/formats/records/bf16.h"
#include "kernels/formats/records/fp16.h"
#include "kernels/formats/span_codec.h"

namespace narrowgate::io {
namespace {

struct TypeFacts {
  ElementType type;
  std::size_t size;
  std::string_view name;
};

constexpr TypeFacts kTypes[] = {
    {ElementType::f64, 8, "float64"}, {ElementType::f32, 4, "float32"}, {ElementType::f16, 2, "float16"},
    {ElementType::bf16, 2, "bfloat16"}, {ElementType::i64, 8, "int64"}, {ElementType::i32, 4, "int32"},
    {ElementType::i16, 2, "int16"},   {ElementType::i8, 1, "int8"},     {ElementType::u64, 8, "uint64"},
    {ElementType::u32, 4, "uint32"},  {ElementType::u16, 2, "uint16"},  {ElementType::u8, 1, "uint8"},
    {ElementType::boolean, 1, "bool"},
};

const TypeFacts& facts_of(ElementType type) {
  for (const TypeFacts& facts : kTypes) {
    if (facts.type == type) return facts;
  }
  return kTypes[0];
}

}  // namespace

std::size_t size_of(ElementType type) { return facts_of(type).size; }
std::string_view name_of(ElementType type) { return facts_of(type).name; }

tl::expected<std::size_t, std::string> byte_count(ElementType type, const std::vector<std::int64_t>& shape) {
  std::int64_t bytes = static_cast<std::int64_t>(size_of(type));
  bool is_empty = false;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) return tl::unexpected(fmt::format("a shape without negative dimensions, found {}", shape_text(shape)));
    is_empty |= dimension == 0;
    if (!is_empty && __builtin_mul_overflow(bytes, dimension, &bytes)) {
      return tl::unexpected(fmt::format("a shape that fits memory, found {}", shape_text(shape)));
    }
  }
  return is_empty ? 0 : static_cast<std::size_t>(bytes);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

OrIoError<Matrix<float>> to_matrix(const Tensor& tensor, const std::string& file) {
  const std::string place = tensor.name.empty() ? "header" : "tensor " + tensor.name;
  if (tensor.shape.empty() || tensor.shape.size() > 2) {
    return error_at(file, place, fmt::format("a tensor of rank 1 or 2, found shape {}", shape_text(tensor.shape)));
  }
  const std::int64_t rows = tensor.shape.size() == 2 ? tensor.shape[0] : 1;
  Matrix<float> matrix(rows, tensor.shape.back());
  if (tensor.type == ElementType::f32) {
    if (!tensor.bytes.empty()) std::memcpy(matrix.data(), tensor.bytes.data(), tensor.bytes.size());
    return matrix;
  }
  if (tensor.type != ElementType::f16 && tensor.type != ElementType::bf16) {
    return error_at(file, place, fmt::format("float32, float16 or bfloat16, found {}", name_of(tensor.type)));
  }
  std::vector<std::uint16_t> codes(tensor.bytes.size() / 2);
  if (!codes.empty()) std::memcpy(codes.data(), tensor.bytes.data(), tensor.bytes.size());
  formats::decode_span(tensor.type == ElementType::f16 ? formats::kFp16 : formats::kBf16, codes, matrix.flat());
  return matrix;
}

OrIoError<std::vector<std::uint8_t>> read_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return error_at(path, "open", "a file, found a folder");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return error_at(path, "open", fmt::format("a readable file ({})", std::strerror(errno)));
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) return error_at(path, "open", "a regular file");
  try {
    std::vector<std::uint8_t> bytes(size);
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (stream.gcount() != static_cast<std::streamsize>(size)) return error_at(path, "read", fmt::format("{} bytes", size));
    return bytes;
  } catch (const std::exception&) {  // bad_alloc or length_error
    return error_at(path, "read", fmt::format("a file that fits memory, found {} bytes", size));
  }
}

OrIoError<void> write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.flush();
  if (!stream) return error_at(path, "write", fmt::format("a writable file ({})", std::strerror(errno)));
  return {};
}

tl::unexpected<IoError> error_at(const std::string& file, const std::string& place, const std::string& expected) {
  return tl::unexpected(IoError{fmt::format("{}: {}: expected {}", file, place, expected)});
}

}  // namespace narrowgate::io
