// decoded, cpu.scalar: the definition as loops, and so the replay oracle of every scheme that decodes to FP32.
// A row of C is updated for each k, so every element still sees ascending k.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/decoded/decoded.h"
#include "kernels/parallel.h"

namespace narrowgate::decoded {
namespace {

struct Arguments {
  View<const float> a;  // values, decoded by the definition when the kernel is bound
  View<const float> b;
  View<float> c;
  Accumulation accumulation;
  BlockScales scales;
  Epilogue epilogue;
};

Arguments place_decoded(const Operands& operands, View<float> c, Memory& memory) {
  const Matrix<float> a = multiplied_values(operands.a, BlockAxis::cols, operands.accumulation);
  const Matrix<float> b = multiplied_values(operands.b, BlockAxis::rows, operands.accumulation);
  return {memory.place("A", a.view()),
          memory.place("B", b.view()),
          c,
          operands.accumulation,
          place_block_scales(operands, memory),
          place_epilogue(operands, memory)};
}

// sums[j] = fma(b[k][j], a[k], sums[j]) for k in [first, last).
void chain(const Arguments& args, std::int64_t row, std::int64_t first, std::int64_t last, float* sums) {
  for (std::int64_t k = first; k < last; ++k) {
    const float a = args.a(row, k);
    const float* b = args.b.row(k);
    for (std::int64_t j = 0; j < args.c.cols; ++j) sums[j] = std::fma(b[j], a, sums[j]);
  }
}

void lanes(const Arguments& args, std::int64_t row, float* sums) {
  const std::int64_t n = args.c.cols, v = args.accumulation.length;
  std::vector<float> partial(static_cast<std::size_t>(kLaneCount * n), 0.0f);
  for (std::int64_t first = 0; first < args.a.cols; first += v) {
    chain(args, row, first, std::min(first + v, args.a.cols), partial.data() + first / v % kLaneCount * n);
  }
  for (std::int64_t step = kLaneCount / 2; step > 0; step /= 2) {
    // Lane l + step would hold the same sum: only the lower half is needed.
    for (std::int64_t i = 0; i < step * n; ++i) {
      partial[static_cast<std::size_t>(i)] += partial[static_cast<std::size_t>(i + step * n)];
    }
  }
  std::copy_n(partial.data(), n, sums);
}

void blocks(const Arguments& args, std::int64_t row, float* sums) {
  const std::int64_t n = args.c.cols, length = args.accumulation.length;
  std::vector<float> t(static_cast<std::size_t>(n));
  for (std::int64_t first = 0; first < args.a.cols; first += length) {
    std::fill(t.begin(), t.end(), 0.0f);
    chain(args, row, first, std::min(first + length, args.a.cols), t.data());
    const float a_scale = args.scales.a(row, first / length);
    const float* b_scales = args.scales.b.row(first / length);
    for (std::int64_t j = 0; j < n; ++j) sums[j] = std::fma(t[static_cast<std::size_t>(j)], a_scale * b_scales[j], sums[j]);
  }
}

void run(const Arguments& args, Stream) {
  parallel_for(args.c.rows, [&](std::int64_t i) {
    float* c = args.c.row(i);
    std::fill_n(c, args.c.cols, 0.0f);
    switch (args.accumulation.order) {
      case Accumulation::Order::kLanes: lanes(args, i, c); break;
      case Accumulation::Order::kBlocks: blocks(args, i, c); break;
      default: chain(args, i, 0, args.a.cols, c); break;
    }
    for (std::int64_t j = 0; j < args.c.cols; ++j) c[j] = args.epilogue(c[j], i, j);
  });
}

}  // namespace

extern const Kernel cpu_scalar;
const Kernel cpu_scalar = {
    .folder = "decoded",
    .name = "cpu.scalar",
    .backend = Backend::kCpu,
    .contract = Contract::kExact,
    .arithmetic = "FP32 fused multiply-adds on the CPU, vectorized by the compiler where it can",
    .source = "kernels/decoded/cpu_scalar.cpp",
    .computes = [](const Scheme& scheme) { return computes_floats(scheme) && scheme.storage == Storage::kDense; },
    .unsupported = supports_everything,
    .bind = bind<place_decoded, run>};

}  // namespace narrowgate::decoded
