// fp32, cpu.scalar: the definition as a loop, and so the replay oracle of the family.
// One rank-1 update of a row of C for each k: every element still sees ascending k.
#include <algorithm>
#include <cmath>

#include "kernels/fp32/fp32.h"
#include "kernels/parallel.h"

namespace narrowgate::fp32 {
namespace {

void run(const Arguments& args, Stream) {
  parallel_for(args.c.rows, [&](std::int64_t i) {
    float* c = args.c.row(i);
    std::fill_n(c, args.c.cols, 0.0f);
    for (std::int64_t k = 0; k < args.a.cols; ++k) {
      const float a = args.a(i, k);
      const float* b = args.b.row(k);
      for (std::int64_t j = 0; j < args.c.cols; ++j) c[j] = std::fma(a, b[j], c[j]);
    }
  });
}

}  // namespace

extern const Kernel cpu_scalar;
const Kernel cpu_scalar = {.family = "fp32",
                           .name = "cpu.scalar",
                           .backend = Backend::kCpu,
                           .contract = Contract::kExact,
                           .arithmetic = "FP32 fused multiply-adds on the CPU, vectorized by the compiler where it can",
                           .source = "kernels/fp32/cpu_scalar.cpp",
                           .unsupported = supports_everything,
                           .bind = bind<place, run>};

}  // namespace narrowgate::fp32
