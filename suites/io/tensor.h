// A tensor as files hold it: a type, a shape and bytes; and the one way from it to what quantizers take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/matrix.h"

namespace narrowgate::io {

// What was wrong, as "file: place: what was expected".
struct IoError {
  std::string message;
};

template <class T>
using OrIoError = tl::expected<T, IoError>;

enum class ElementType { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

std::size_t size_of(ElementType type);
std::string_view name_of(ElementType type);  // "float32"

struct Tensor {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  // row-major, little-endian
};

// Number of bytes of a tensor; nothing when it does not fit 63 bits or a dimension is negative.
tl::expected<std::size_t, std::string> byte_count(ElementType type, const std::vector<std::int64_t>& shape);

std::string shape_text(const std::vector<std::int64_t>& shape);  // "(3, 4)"

// A matrix of FP32 from a tensor of rank 2 (or 1, taken as one row) and type float32, float16 or bfloat16, all exact.
// `file` is named in errors.
OrIoError<Matrix<float>> to_matrix(const Tensor& tensor, const std::string& file);

template <class T>
Tensor make_tensor(std::string name, ElementType type, std::vector<std::int64_t> shape, const T* data) {
  Tensor tensor{std::move(name), type, std::move(shape), {}};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data);
  tensor.bytes.assign(bytes, bytes + byte_count(tensor.type, tensor.shape).value());
  return tensor;
}

OrIoError<std::vector<std::uint8_t>> read_file(const std::string& path);
OrIoError<void> write_file(const std::string& path, const std::vector<std::uint8_t>& bytes);

// An error of one file at one place.
tl::unexpected<IoError> error_at(const std::string& file, const std::string& place, const std::string& expected);

}  // namespace narrowgate::io
