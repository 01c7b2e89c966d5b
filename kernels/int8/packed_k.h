// Weights of the int8 arithmetic packed for device kernels that take several k at once: B transposed, k in a row.
#pragma once

#include <cstdint>

#include "kernels/int8/int8.h"

namespace narrowgate::int8 {

// Four neighbours along k, the lowest in the low byte, as dp4a and the tensor cores read them.
using Word = std::int32_t;

struct PackedArguments {
  Arguments dense;        // A, C and the epilogue; its B is not read
  View<const Word> b;     // n × words: row j holds column j of B, zeros beyond k
  bool a_has_words;       // rows of A start at multiples of four bytes: a word is one load
  bool a_is_aligned, b_is_aligned;  // rows start at multiples of 16 bytes
};

// `words_multiple`: rows of packed B are padded to a multiple of so many words.
inline PackedArguments place_packed(const Operands& operands, View<float> c, Memory& memory, std::int64_t words_multiple) {
  const Matrix<std::int8_t>& b = operands.b.codes;
  const std::int64_t words = ((b.rows() + 3) / 4 + words_multiple - 1) / words_multiple * words_multiple;
  Matrix<Word> packed(b.cols(), words);
  for (std::int64_t k = 0; k < b.rows(); ++k) {
    for (std::int64_t col = 0; col < b.cols(); ++col) {
      const auto byte = static_cast<std::uint32_t>(static_cast<std::uint8_t>(b(k, col)));
      Word& word = packed(col, k / 4);
      word = static_cast<Word>(static_cast<std::uint32_t>(word) | byte << (k % 4 * 8));
    }
  }
  PackedArguments args{};
  args.dense = place(operands, c, memory);
  const Matrix<Word>& placed = packed;
  args.b = memory.place("packed codes of B", placed.view());
  const auto starts_at_multiples = [](auto view, std::uintptr_t bytes) {
    return reinterpret_cast<std::uintptr_t>(view.data) % bytes == 0 &&
           static_cast<std::uintptr_t>(view.ld) * sizeof(*view.data) % bytes == 0;
  };
  args.a_has_words = starts_at_multiples(args.dense.a, 4);
  args.a_is_aligned = starts_at_multiples(args.dense.a, 16);
  args.b_is_aligned = starts_at_multiples(args.b, 16);
  return args;
}

// Word `word` of row `row` of A, zeros beyond the edges.
NARROWGATE_HOST_DEVICE inline Word word_of_a(const PackedArguments& args, std::int64_t row, std::int64_t word) {
  const View<const std::int8_t> a = args.dense.a;
  if (row >= a.rows) return 0;
  const std::int64_t k = 4 * word;
  if (args.a_has_words && k + 4 <= a.cols) return *reinterpret_cast<const Word*>(a.row(row) + k);
  std::uint32_t value = 0;
  for (std::int64_t i = 0; i < 4 && k + i < a.cols; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(a(row, k + i))) << (8 * i);
  }
  return static_cast<Word>(value);
}

NARROWGATE_HOST_DEVICE inline Word word_of_b(const PackedArguments& args, std::int64_t col, std::int64_t word) {
  return col < args.b.rows && word < args.b.cols ? args.b(col, word) : 0;
}

}  // namespace narrowgate::int8
