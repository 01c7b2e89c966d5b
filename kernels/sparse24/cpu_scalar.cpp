// sparse24, cpu.scalar: the definition as a loop over what is kept, and so the replay oracle of the compressed schemes.
#include <cmath>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/sparse24/sparse24.h"

namespace narrowgate::sparse24 {
namespace {

// add(sums[j], value, element of A) for what row i keeps, in ascending k.
template <class T, class Sum, class Add>
void add_products(const Compressed<T>& operands, std::int64_t i, std::vector<Sum>& sums, const Add& add) {
  for (std::int64_t kept = 0; kept < operands.values.rows; ++kept) {
    for (std::int64_t j = 0; j < operands.values.cols; ++j) {
      const std::int64_t k = operands.k_of(kept, j);
      if (k < operands.a.cols) add(sums[static_cast<std::size_t>(j)], operands.values(kept, j), operands.a(i, k));
    }
  }
}

void run_floats(const FloatArguments& args) {
  parallel_for(args.c.rows, [&](std::int64_t i) {
    std::vector<float> sums(static_cast<std::size_t>(args.c.cols), 0.0f);
    add_products(args.operands, i, sums, [](float& sum, float b, float a) { sum = std::fma(b, a, sum); });
    for (std::int64_t j = 0; j < args.c.cols; ++j) args.c(i, j) = args.epilogue(sums[static_cast<std::size_t>(j)], i, j);
  });
}

void run_integers(const IntegerArguments& args) {
  parallel_for(args.dense.c.rows, [&](std::int64_t i) {
    std::vector<std::int32_t> sums(static_cast<std::size_t>(args.dense.c.cols), 0);
    add_products(args.operands, i, sums, [](std::int32_t& sum, std::int8_t b, std::int8_t a) { sum += b * a; });
    for (std::int64_t j = 0; j < args.dense.c.cols; ++j) {
      args.dense.c(i, j) = args.dense.finish(sums[static_cast<std::size_t>(j)], i, j);
    }
  });
}

Launch bind_compressed(const Operands& operands, View<float> c, Memory& memory) {
  if (operands.b.is_float()) return [args = place_floats(operands, c, memory)] { run_floats(args); };
  return [args = place_integers(operands, c, memory)] { run_integers(args); };
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
    .computes = computes_compressed,
    .unsupported = supports_everything,
    .bind = bind_compressed};

}  // namespace narrowgate::sparse24
