// int8, cpu.simd: codes widened to 16 bits and packed in pairs along k, so that one instruction multiplies and adds a
// pair (vpmaddwd on x86); blocked by reference/ordered_product-inl.h. Pairs of products are at most 2·128·128, far
// inside int32, so nothing saturates. oneDNN does this faster with VNNI; this kernel needs no library and no VNNI.
#include <memory>

#include "kernels/int8/int8.h"
#include "kernels/reference/packed_product.h"

namespace narrowgate::int8 {
namespace {

void finish_row(const Arguments& args, std::int64_t row, const std::int32_t* sums) {
  float* c = args.c.row(row);
  for (std::int64_t col = 0; col < args.c.cols; ++col) c[col] = args.finish(sums[col], row, col);
}

Launch bind_packed(const Operands& operands, View<float> c, Memory& memory) {
  const Arguments args = place(operands, c, memory);
  const auto product = std::make_shared<const PackedIntegerProduct>(args.b, operands.accumulation);
  return [args, product] {
    product->run(args.a, [&args](std::int64_t row, std::int32_t* sums) { finish_row(args, row, sums); });
  };
}

}  // namespace

extern const Kernel cpu_simd;
const Kernel cpu_simd = {.folder = "int8",
                         .name = "cpu.simd",
                         .backend = Backend::kCpu,
                         .contract = Contract::kExact,
                         .arithmetic = "16-bit integer pair multiply-adds in the CPU's vector units",
                         .source = "kernels/int8/cpu_simd.cpp",
                         .computes = computes_integers,
                         .unsupported = supports_everything,
                         .bind = bind_packed};

}  // namespace narrowgate::int8
