// sparse24, cpu.scalar: products of compressed 2:4 weights, two values and two places for each four k, zeros skipped.
// The replay oracle of the compressed schemes. The answer is that of the dense kernel on the pruned matrix: a skipped
// product is a zero, which changes no sum (but the sign of a zero, which a digest ignores).
#include <cmath>
#include <vector>

#include "kernels/int8/int8.h"
#include "kernels/parallel.h"
#include "kernels/quantize/compress24.h"

namespace narrowgate::sparse24 {
namespace {

// Values are FP32, or INT8 codes for the integer arithmetic.
template <class T>
struct Arguments {
  View<const T> a;                // m×k
  View<const T> values;           // 2·⌈k/4⌉ × n
  View<const std::uint8_t> places;
};

// sums[j] += the products of row i that are not skipped, in ascending k.
template <class T, class Sum, class Add>
void add_products(const Arguments<T>& args, std::int64_t i, std::vector<Sum>& sums, const Add& add) {
  for (std::int64_t kept = 0; kept < args.values.rows; ++kept) {
    for (std::int64_t j = 0; j < args.values.cols; ++j) {
      const std::int64_t k = kept / 2 * 4 + args.places(kept, j);
      if (k < args.a.cols) add(sums[static_cast<std::size_t>(j)], args.values(kept, j), args.a(i, k));
    }
  }
}

template <class T>
Arguments<T> place_compressed(View<const T> a, View<const T> b, Memory& memory) {
  const auto compressed = quantize::compress24(b);
  if (!compressed) throw std::logic_error("the pruned weights hold more than two values in four");
  const auto& stored = *compressed;
  return {a, memory.place("kept values of B", stored.values.view()), memory.place("places of B", stored.places.view())};
}

Launch bind_floats(const Operands& operands, View<float> c, Memory& memory) {
  const auto args = place_compressed<float>(memory.place("A", operands.a.values.view()), operands.b.values.view(), memory);
  return [args, c, epilogue = place_epilogue(operands, memory)] {
    parallel_for(c.rows, [&](std::int64_t i) {
      std::vector<float> sums(static_cast<std::size_t>(c.cols), 0.0f);
      add_products(args, i, sums, [](float& sum, float b, float a) { sum = std::fma(b, a, sum); });
      for (std::int64_t j = 0; j < c.cols; ++j) c(i, j) = epilogue(sums[static_cast<std::size_t>(j)], i, j);
    });
  };
}

Launch bind_integers(const Operands& operands, View<float> c, Memory& memory) {
  const int8::Arguments dense = int8::place(operands, c, memory);
  const auto args = place_compressed<std::int8_t>(dense.a, operands.b.codes.view(), memory);
  return [args, dense, c] {
    parallel_for(c.rows, [&](std::int64_t i) {
      std::vector<std::int32_t> sums(static_cast<std::size_t>(c.cols), 0);
      add_products(args, i, sums, [](std::int32_t& sum, std::int8_t b, std::int8_t a) { sum += b * a; });
      for (std::int64_t j = 0; j < c.cols; ++j) c(i, j) = dense.finish(sums[static_cast<std::size_t>(j)], i, j);
    });
  };
}

Launch bind_compressed(const Operands& operands, View<float> c, Memory& memory) {
  return operands.b.is_float() ? bind_floats(operands, c, memory) : bind_integers(operands, c, memory);
}

}  // namespace

extern const Kernel cpu_scalar;
const Kernel cpu_scalar = {
    .folder = "sparse24",
    .name = "cpu.scalar",
    .backend = Backend::kCpu,
    .contract = Contract::kExact,
    .arithmetic = "two of four products on the CPU: FP32 fused multiply-adds or 32-bit integers",
    .source = "kernels/sparse24/cpu_scalar.cpp",
    .computes = [](const Scheme& scheme) { return scheme.storage == Storage::kCompressed24; },
    .unsupported = supports_everything,
    .bind = bind_compressed};

}  // namespace narrowgate::sparse24
