// int8, cpu.scalar: the definition as a loop, and so the replay oracle of the arithmetic.
#include "kernels/int8/int8.h"
#include "kernels/parallel.h"

namespace narrowgate::int8 {
namespace {

void run(const Arguments& args, Stream) {
  parallel_for(args.c.rows, [&](std::int64_t i) {
    std::vector<std::int32_t> acc(static_cast<std::size_t>(args.c.cols));
    for (std::int64_t k = 0; k < args.a.cols; ++k) {
      const std::int32_t a = args.a(i, k);
      const std::int8_t* b = args.b.row(k);
      std::int32_t* sums = acc.data();
      for (std::int64_t j = 0; j < args.c.cols; ++j) sums[j] += a * b[j];
    }
    for (std::int64_t j = 0; j < args.c.cols; ++j) args.c(i, j) = args.finish(acc[static_cast<std::size_t>(j)], i, j);
  });
}

}  // namespace

extern const Kernel cpu_scalar;
const Kernel cpu_scalar = {
    .folder = "int8",
    .name = "cpu.scalar",
    .backend = Backend::kCpu,
    .contract = Contract::kExact,
    .arithmetic = "32-bit integer multiply-adds on the CPU, vectorized by the compiler where it can",
    .source = "kernels/int8/cpu_scalar.cpp",
    .computes = [](const Scheme& scheme) { return computes_integers(scheme) && scheme.storage == Storage::kDense; },
    .unsupported = supports_everything,
    .bind = bind<place, run>};

}  // namespace narrowgate::int8
