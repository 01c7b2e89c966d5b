// fp32, cpu.simd: register-blocked and cache-blocked by reference/ordered_product-inl.h, vectors over n, threads over m.
// B is packed when the kernel is bound; A is packed by each task. Blocks carry their sums, so the chain is kept.
// A library (OpenBLAS, oneDNN) does this faster but in an order of its own choosing, so its bits are not the scheme's.
#include <algorithm>
#include <memory>

#include "kernels/fp32/fp32.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fp32/cpu_simd.cpp"
#include <hwy/foreach_target.h>

#include "kernels/reference/ordered_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {

AlignedVector<float> pack_fp32(View<const float> b) { return pack_b<FloatChain<float>>(b); }

void multiply_fp32(const fp32::Arguments& args, const float* packed_b) {
  ordered_product<FloatChain<float>>(
      args.a, packed_b, args.c.cols,
      [&](std::int64_t row, const float* sums) { std::copy_n(sums, args.c.cols, args.c.row(row)); });
}

}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate {

HWY_EXPORT(pack_fp32);
HWY_EXPORT(multiply_fp32);

namespace fp32 {
namespace {

Launch bind_packed(const Operands& operands, View<float> c, Memory& memory) {
  const Arguments args = place(operands, c, memory);
  auto packed = std::make_shared<const AlignedVector<float>>(HWY_DYNAMIC_DISPATCH(pack_fp32)(args.b));
  return [args, packed] { HWY_DYNAMIC_DISPATCH(multiply_fp32)(args, packed->data()); };
}

}  // namespace

extern const Kernel cpu_simd;
const Kernel cpu_simd = {.family = "fp32",
                         .name = "cpu.simd",
                         .backend = Backend::kCpu,
                         .contract = Contract::kExact,
                         .arithmetic = "FP32 fused multiply-adds in the CPU's vector units",
                         .source = "kernels/fp32/cpu_simd.cpp",
                         .unsupported = supports_everything,
                         .bind = bind_packed};

}  // namespace fp32
}  // namespace narrowgate
#endif
