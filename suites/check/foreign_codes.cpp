#include "suites/check/foreign_codes.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace narrowgate::check {
namespace {

using io::ElementType;
using io::Tensor;

constexpr int kSymmetricOffset = 8;  // GPTQ and AWQ store the codes of symmetric weights unsigned, with zero at 8

tl::unexpected<Error> error_at(const std::string& file, const std::string& place, const std::string& expected) {
  return tl::unexpected(Error{fmt::format("{}: {}: expected {}", file, place, expected)});
}

bool is_byte(ElementType type) { return type == ElementType::i8 || type == ElementType::u8; }
bool is_word(ElementType type) { return type == ElementType::i32 || type == ElementType::u32; }

// Code domain of AutoGPTQ and AutoAWQ files, in which symmetric weights have a zero point as well.
bool is_unsigned_packing(Packing packing) { return packing == Packing::kGptq || packing == Packing::kAwq; }

std::vector<std::int64_t> slot_order(Packing packing) {
  std::vector<std::int64_t> order(kCodesPerWord);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (packing == Packing::kAwq) order.assign(std::begin(kAwqOrder), std::end(kAwqOrder));
  return order;
}

OrError<Matrix<std::uint32_t>> words_of(const Tensor& tensor, const std::string& name, std::int64_t rows, std::int64_t cols) {
  if (!is_word(tensor.type) || tensor.shape != std::vector<std::int64_t>{rows, cols}) {
    return error_at(name, "header", fmt::format("int32 or uint32 words of shape {}, found {} {}", io::shape_text({rows, cols}),
                                                io::name_of(tensor.type), io::shape_text(tensor.shape)));
  }
  Matrix<std::uint32_t> words(rows, cols);
  std::memcpy(words.data(), tensor.bytes.data(), tensor.bytes.size());
  return words;
}

OrError<Matrix<std::uint8_t>> bytes_of(const Tensor& tensor, const std::string& name, std::int64_t rows, std::int64_t cols) {
  if (!is_byte(tensor.type) || tensor.shape != std::vector<std::int64_t>{rows, cols}) {
    return error_at(name, "header", fmt::format("int8 or uint8 codes of shape {}, found {} {}", io::shape_text({rows, cols}),
                                                io::name_of(tensor.type), io::shape_text(tensor.shape)));
  }
  Matrix<std::uint8_t> bytes(rows, cols);
  std::memcpy(bytes.data(), tensor.bytes.data(), tensor.bytes.size());
  return bytes;
}

std::int64_t in_groups(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

// The first rows×cols of unpacked codes: a last group may be padded.
Matrix<std::uint8_t> cropped(const Matrix<std::uint8_t>& codes, std::int64_t rows, std::int64_t cols) {
  Matrix<std::uint8_t> result(rows, cols);
  for (std::int64_t row = 0; row < rows; ++row) std::copy_n(codes.view().row(row), cols, result.view().row(row));
  return result;
}

Matrix<std::uint8_t> halves(const Matrix<std::uint8_t>& bytes, std::int64_t rows) {
  Matrix<std::uint8_t> codes(rows, bytes.cols());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < bytes.cols(); ++col) {
      codes(row, col) = static_cast<std::uint8_t>(bytes(row / 2, col) >> (row % 2 == 0 ? 0 : 4) & 0xF);
    }
  }
  return codes;
}

// Unsigned 4-bit codes in the layout of `packing`.
OrError<Matrix<std::uint8_t>> unpack(const Tensor& tensor, const std::string& name, Packing packing, std::int64_t rows,
                                     std::int64_t cols) {
  if (packing == Packing::kBytes) {
    return bytes_of(tensor, name, in_groups(rows, 2), cols).map([&](const auto& bytes) { return halves(bytes, rows); });
  }
  const bool across = packing == Packing::kAwq;
  const auto words = across ? words_of(tensor, name, rows, in_groups(cols, kCodesPerWord))
                            : words_of(tensor, name, in_groups(rows, kCodesPerWord), cols);
  if (!words) return tl::unexpected(words.error());
  return cropped(unpack_words(words->view(), across ? WordAxis::kAcross : WordAxis::kDown, slot_order(packing)), rows, cols);
}

// From the bits of 4-bit codes to the numbers that kernels read.
Matrix<std::int8_t> four_bit_numbers(const Matrix<std::uint8_t>& codes, const formats::Format& element, Packing packing) {
  Matrix<std::int8_t> numbers(codes.rows(), codes.cols());
  for (std::int64_t i = 0; i < codes.size(); ++i) {
    const int code = codes.data()[i];
    const int number = !element.is_signed              ? code
                       : is_unsigned_packing(packing)  ? code - kSymmetricOffset
                       : code >= kSymmetricOffset      ? code - 2 * kSymmetricOffset
                                                       : code;
    numbers.data()[i] = static_cast<std::int8_t>(number);
  }
  return numbers;
}

std::optional<Error> read_elements(const CodeFiles& files, QuantizedMatrix& q) {
  const auto tensor = read_tensor(files.codes);
  if (!tensor) return tensor.error();
  if (files.packing == Packing::kOneAByte) {
    const auto bytes = bytes_of(*tensor, files.codes, q.rows(), q.cols());
    if (!bytes) return bytes.error();
    const int offset = tensor->type == ElementType::u8 ? q.code_offset : 0;
    for (std::int64_t i = 0; i < bytes->size(); ++i) q.codes.data()[i] = static_cast<std::int8_t>(bytes->data()[i] - offset);
    return std::nullopt;
  }
  if (q.element == nullptr || q.element->is_floating() || q.element->bits != 4) {
    return Error{fmt::format("{}: --b-packing: expected a scheme with 4-bit integers; leave it out for one code a byte", files.codes)};
  }
  const auto codes = unpack(*tensor, files.codes, files.packing, q.rows(), q.cols());
  if (!codes) return codes.error();
  q.codes = four_bit_numbers(*codes, *q.element, files.packing);
  return std::nullopt;
}

// One value for each block of the scheme from one for all, one for each column of blocks, or one for each block.
template <class T>
std::optional<std::vector<T>> for_each_block(const std::vector<T>& values, std::int64_t down, std::int64_t across) {
  const auto count = static_cast<std::int64_t>(values.size());
  if (count != 1 && count != across && count != down * across) return std::nullopt;
  std::vector<T> result;
  for (std::int64_t block = 0; block < down * across; ++block) {
    result.push_back(values[static_cast<std::size_t>(count == 1 ? 0 : count == across ? block % across : block)]);
  }
  return result;
}

std::string blocks_text(std::int64_t down, std::int64_t across) { return fmt::format("1, {} or {}×{} values", across, down, across); }

OrError<std::vector<float>> read_block_floats(const std::string& name, const QuantizedMatrix& q) {
  const auto tensor = read_tensor(name);
  if (!tensor) return tl::unexpected(tensor.error());
  Tensor flat = *tensor;
  if (flat.shape.empty()) flat.shape = {1};
  const auto matrix = io::to_matrix(flat, name);
  if (!matrix) return tl::unexpected(Error{matrix.error().message});
  for (std::int64_t i = 0; i < matrix->size(); ++i) {
    if (!std::isfinite(matrix->data()[i])) {
      return error_at(name, fmt::format("row {}, column {}", i / matrix->cols(), i % matrix->cols()), "a finite number");
    }
  }
  const std::int64_t down = q.granularity.block_rows(q.rows()), across = q.granularity.block_cols(q.cols());
  auto values = for_each_block(std::vector<float>(matrix->flat().begin(), matrix->flat().end()), down, across);
  if (!values) {
    return error_at(name, "shape", fmt::format("{}, found {}", blocks_text(down, across), io::shape_text(tensor->shape)));
  }
  return std::move(*values);
}

// Integers of any width, as they stand in the file.
OrError<std::vector<std::int64_t>> integers_of(const Tensor& tensor, const std::string& name) {
  std::vector<std::int64_t> values;
  const std::size_t size = io::size_of(tensor.type);
  const bool is_signed = tensor.type == ElementType::i8 || tensor.type == ElementType::i16 || tensor.type == ElementType::i32 ||
                         tensor.type == ElementType::i64;
  const bool is_unsigned = tensor.type == ElementType::u8 || tensor.type == ElementType::u16 || tensor.type == ElementType::u32;
  if (!is_signed && !is_unsigned) return error_at(name, "header", fmt::format("integers, found {}", io::name_of(tensor.type)));
  for (std::size_t at = 0; at < tensor.bytes.size(); at += size) {
    std::uint64_t bits = 0;
    for (std::size_t byte = size; byte-- > 0;) bits = bits << 8 | tensor.bytes[at + byte];
    const int unused = static_cast<int>(64 - 8 * size);
    values.push_back(is_signed ? static_cast<std::int64_t>(bits << unused) >> unused : static_cast<std::int64_t>(bits));
  }
  return values;
}

// Zero points as the numbers of the file's own domain.
OrError<std::vector<std::int64_t>> read_zero_numbers(const CodeFiles& files, const Tensor& tensor, std::int64_t down,
                                                     std::int64_t across) {
  if (!is_unsigned_packing(files.packing)) return integers_of(tensor, files.zeros);
  const auto words = words_of(tensor, files.zeros, down, in_groups(across, kCodesPerWord));
  if (!words) return tl::unexpected(words.error());
  const auto codes = cropped(unpack_words(words->view(), WordAxis::kAcross, slot_order(files.packing)), down, across);
  std::vector<std::int64_t> zeros;
  for (const std::uint8_t code : codes.flat()) zeros.push_back(code + (files.packing == Packing::kGptq ? 1 : 0));
  return zeros;
}

std::optional<Error> read_integer_zeros(const CodeFiles& files, QuantizedMatrix& q) {
  const auto tensor = read_tensor(files.zeros);
  if (!tensor) return tensor.error();
  const std::int64_t down = q.granularity.block_rows(q.rows()), across = q.granularity.block_cols(q.cols());
  const auto numbers = read_zero_numbers(files, *tensor, down, across);
  if (!numbers) return numbers.error();
  const auto zeros = for_each_block(*numbers, down, across);
  if (!zeros) {
    return Error{fmt::format("{}: shape: expected {}, found {}", files.zeros, blocks_text(down, across), io::shape_text(tensor->shape))};
  }
  const bool symmetric = q.zero_points.empty();
  const int offset = symmetric && is_unsigned_packing(files.packing) ? kSymmetricOffset
                     : tensor->type == ElementType::i8               ? 0
                                                                     : q.code_offset;
  std::vector<std::int32_t> stored;
  for (std::size_t block = 0; block < zeros->size(); ++block) {
    const std::int64_t zero = (*zeros)[block] - offset;
    if (zero < -256 || zero > 256) {
      return Error{fmt::format("{}: value {}: expected a zero point within the range of codes, found {}", files.zeros, block, (*zeros)[block])};
    }
    if (symmetric && zero != 0) {
      return Error{fmt::format("{}: value {}: expected no zero point: the scheme is symmetric", files.zeros, block)};
    }
    stored.push_back(static_cast<std::int32_t>(zero));
  }
  if (!symmetric) q.zero_points = std::move(stored);
  return std::nullopt;
}

std::optional<Error> read_zeros(const CodeFiles& files, QuantizedMatrix& q) {
  if (q.fractional_zero_points.empty()) return read_integer_zeros(files, q);
  auto zeros = read_block_floats(files.zeros, q);
  if (!zeros) return zeros.error();
  q.fractional_zero_points = std::move(*zeros);
  return std::nullopt;
}

}  // namespace

Matrix<std::uint8_t> unpack_words(View<const std::uint32_t> words, WordAxis axis, std::span<const std::int64_t> order) {
  const bool down = axis == WordAxis::kDown;
  Matrix<std::uint8_t> codes(down ? words.rows * kCodesPerWord : words.rows, down ? words.cols : words.cols * kCodesPerWord);
  for (std::int64_t row = 0; row < words.rows; ++row) {
    for (std::int64_t col = 0; col < words.cols; ++col) {
      for (std::int64_t slot = 0; slot < kCodesPerWord; ++slot) {
        const auto code = static_cast<std::uint8_t>(words(row, col) >> (4 * slot) & 0xF);
        const std::int64_t place = order[static_cast<std::size_t>(slot)];
        if (down) codes(row * kCodesPerWord + place, col) = code;
        else codes(row, col * kCodesPerWord + place) = code;
      }
    }
  }
  return codes;
}

OrError<QuantizedMatrix> read_codes(const CodeFiles& files, const QuantizedMatrix& oracle) {
  const std::string& first = !files.codes.empty() ? files.codes : !files.scales.empty() ? files.scales : files.zeros;
  if (oracle.is_float()) return error_at(first, "scheme", "one that encodes this operand; it stays a float here");
  if (oracle.tensor_scale != 1.0f) return error_at(first, "scheme", "one with one level of scales");
  QuantizedMatrix q = oracle;
  if (!files.codes.empty()) {
    if (const auto problem = read_elements(files, q)) return tl::unexpected(*problem);
  }
  if (!files.scales.empty()) {
    auto scales = read_block_floats(files.scales, q);
    if (!scales) return tl::unexpected(scales.error());
    q.scales = std::move(*scales);
  }
  if (!files.zeros.empty()) {
    if (const auto problem = read_zeros(files, q)) return tl::unexpected(*problem);
  }
  return q;
}

}  // namespace narrowgate::check
