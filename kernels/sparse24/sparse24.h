// Compressed 2:4 weights: of each four k of a column two values and their two places (quantize/compress24.h).
//
//   acc = fma(value, a[i][k], acc) over the kept values in ascending k, from +0        FP32
//   acc = Σ value·a[i][k]                                                              INT8 codes, exact
//   C[i][j] = epilogue(acc), as in decoded/decoded.h and int8/int8.h
//
// The answer is that of the dense kernel on the pruned matrix: a skipped product is a zero, which changes no sum (but
// the sign of a zero, which a digest ignores).
#pragma once

#include <stdexcept>

#include "kernels/int8/int8.h"
#include "kernels/quantize/compress24.h"

namespace narrowgate::sparse24 {

template <class T>
struct Compressed {
  View<const T> a;                   // m×k
  View<const T> values;              // 2·⌈k/4⌉ × n
  View<const std::uint8_t> places;   // the same shape: where in its four
  // The k of kept row `kept` of column `col`.
  NARROWGATE_HOST_DEVICE std::int64_t k_of(std::int64_t kept, std::int64_t col) const {
    return kept / 2 * 4 + places(kept, col);
  }
};

template <class T>
Compressed<T> place_compressed(View<const T> placed_a, View<const T> b, Memory& memory) {
  const auto compressed = quantize::compress24(b);
  if (!compressed) throw std::logic_error("the pruned weights hold more than two values in four");
  const auto& stored = *compressed;
  return {placed_a, memory.place("kept values of B", stored.values.view()), memory.place("places of B", stored.places.view())};
}

struct FloatArguments {
  Compressed<float> operands;
  View<float> c;
  Epilogue epilogue;
};
inline FloatArguments place_floats(const Operands& operands, View<float> c, Memory& memory) {
  return {place_compressed<float>(memory.place("A", operands.a.values.view()), operands.b.values.view(), memory), c,
          place_epilogue(operands, memory)};
}

struct IntegerArguments {
  Compressed<std::int8_t> operands;
  int8::Arguments dense;  // for its epilogue
};
inline IntegerArguments place_integers(const Operands& operands, View<float> c, Memory& memory) {
  const int8::Arguments dense = int8::place(operands, c, memory);
  return {place_compressed<std::int8_t>(dense.a, operands.b.codes.view(), memory), dense};
}

inline bool computes_compressed(const Scheme& scheme) { return scheme.storage == Storage::kCompressed24; }

}  // namespace narrowgate::sparse24
