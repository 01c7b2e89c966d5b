// int8, cpu.simd: codes widened to 16 bits and packed in pairs along k, so that one instruction multiplies and adds a
// pair (vpmaddwd on x86); blocked by reference/ordered_product-inl.h. Pairs of products are at most 2·128·128, far
// inside int32, so nothing saturates. oneDNN does this faster with VNNI; this kernel needs no library and no VNNI.
#include <memory>

#include "kernels/int8/int8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int8/cpu_simd.cpp"
#include <hwy/foreach_target.h>

#include "kernels/reference/ordered_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {

AlignedVector<std::int32_t> pack_int8(View<const std::int8_t> b) { return pack_b<IntegerPairs>(b); }

void finish_row(const int8::Arguments& args, std::int64_t row, const std::int32_t* sums) {
  const float a_scale = args.a_scale(row);
  float* c = args.c.row(row);
  for (std::int64_t col = 0; col < args.c.cols; ++col) {
    const std::int32_t correction = args.a_zero_points == nullptr ? 0 : args.correction(row, col);
    c[col] = int8::scaled(sums[col] - correction, a_scale, args.b_scale(col));
  }
}

void multiply_int8(const int8::Arguments& args, const std::int32_t* packed_b) {
  ordered_product<IntegerPairs>(
      args.a, packed_b, args.c.cols,
      [&](std::int64_t row, const std::int32_t* sums) { finish_row(args, row, sums); });
}

}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate {

HWY_EXPORT(pack_int8);
HWY_EXPORT(multiply_int8);

namespace int8 {
namespace {

Launch bind_packed(const Operands& operands, View<float> c, Memory& memory) {
  const Arguments args = place(operands, c, memory);
  auto packed = std::make_shared<const AlignedVector<std::int32_t>>(HWY_DYNAMIC_DISPATCH(pack_int8)(args.b));
  return [args, packed] { HWY_DYNAMIC_DISPATCH(multiply_int8)(args, packed->data()); };
}

}  // namespace

extern const Kernel cpu_simd;
const Kernel cpu_simd = {.family = "int8",
                         .name = "cpu.simd",
                         .backend = Backend::kCpu,
                         .contract = Contract::kExact,
                         .arithmetic = "16-bit integer pair multiply-adds in the CPU's vector units",
                         .source = "kernels/int8/cpu_simd.cpp",
                         .unsupported = supports_everything,
                         .bind = bind_packed};

}  // namespace int8
}  // namespace narrowgate
#endif
