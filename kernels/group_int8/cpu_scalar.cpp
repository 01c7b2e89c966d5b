// group_int8, cpu.scalar: the definition as a loop, and so the replay oracle of the arithmetic.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/group_int8/group_int8.h"
#include "kernels/parallel.h"

namespace narrowgate::group_int8 {
namespace {

void run(const Arguments& args, Stream) {
  parallel_for(args.c.rows, [&](std::int64_t i) {
    std::vector<float> acc(static_cast<std::size_t>(args.c.cols), 0.0f);
    std::vector<std::int32_t> t(static_cast<std::size_t>(args.c.cols));
    for (std::int64_t first = 0; first < args.a.cols; first += args.group) {
      std::fill(t.begin(), t.end(), 0);
      for (std::int64_t k = first; k < std::min(first + args.group, args.a.cols); ++k) {
        for (std::int64_t j = 0; j < args.c.cols; ++j) t[static_cast<std::size_t>(j)] += args.a(i, k) * args.b(k, j);
      }
      for (std::int64_t j = 0; j < args.c.cols; ++j) {
        const auto at = static_cast<std::size_t>(j);
        acc[at] = std::fma(static_cast<float>(t[at]), args.a_scales[i] * args.b_scales(first / args.group, j), acc[at]);
      }
    }
    for (std::int64_t j = 0; j < args.c.cols; ++j) args.c(i, j) = args.epilogue(acc[static_cast<std::size_t>(j)], i, j);
  });
}

}  // namespace

Arguments place(const Operands& operands, View<float> c, Memory& memory) {
  const QuantizedMatrix& b = operands.b;
  Matrix<float> scales(b.granularity.block_rows(b.rows()), b.cols());
  std::copy(b.scales.begin(), b.scales.end(), scales.data());
  const Matrix<float>& b_scales = scales;
  return {memory.place("codes of A", operands.a.codes.view()),
          memory.place("codes of B", b.codes.view()),
          c,
          memory.place("scales of A", std::span<const float>(operands.a.scales)),
          memory.place("scales of B", b_scales.view()),
          b.granularity.rows,
          place_epilogue(operands, memory)};
}

extern const Kernel cpu_scalar;
const Kernel cpu_scalar = {.folder = "group_int8",
                           .name = "cpu.scalar",
                           .backend = Backend::kCpu,
                           .contract = Contract::kExact,
                           .arithmetic = "32-bit integer multiply-adds within a group, FP32 between groups, on the CPU",
                           .source = "kernels/group_int8/cpu_scalar.cpp",
                           .computes = computes_groups,
                           .unsupported = supports_everything,
                           .bind = bind<place, run>};

}  // namespace narrowgate::group_int8
