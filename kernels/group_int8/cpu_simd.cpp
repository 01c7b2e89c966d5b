// group_int8, cpu.simd: the integer pairs of int8/cpu_simd.cpp, joined in FP32 after each group.
#include <cmath>
#include <memory>

#include "kernels/group_int8/group_int8.h"
#include "kernels/reference/packed_product.h"

namespace narrowgate::group_int8 {
namespace {

void join_group(const Arguments& args, std::int64_t row, std::int64_t group, const std::int32_t* t, float* acc) {
  const float a_scale = args.a_scales[row];
  const float* b_scales = args.b_scales.row(group);
  for (std::int64_t col = 0; col < args.c.cols; ++col) {
    acc[col] = std::fma(static_cast<float>(t[col]), a_scale * b_scales[col], acc[col]);
  }
}

Launch bind_packed(const Operands& operands, View<float> c, Memory& memory) {
  const Arguments args = place(operands, c, memory);
  const auto product = std::make_shared<const PackedIntegerProduct>(args.b, operands.accumulation);
  return [args, product] {
    product->run_blocks(args.a,
                        [&args](std::int64_t row, std::int64_t group, const std::int32_t* t, float* acc) {
                          join_group(args, row, group, t, acc);
                        },
                        [&args](std::int64_t row, const float* acc) {
                          for (std::int64_t col = 0; col < args.c.cols; ++col) {
                            args.c(row, col) = args.epilogue(acc[col], row, col);
                          }
                        });
  };
}

}  // namespace

extern const Kernel cpu_simd;
const Kernel cpu_simd = {.folder = "group_int8",
                         .name = "cpu.simd",
                         .backend = Backend::kCpu,
                         .contract = Contract::kExact,
                         .arithmetic = "16-bit integer pair multiply-adds in the CPU's vector units, FP32 between groups",
                         .source = "kernels/group_int8/cpu_simd.cpp",
                         .computes = computes_groups,
                         .unsupported = supports_everything,
                         .bind = bind_packed};

}  // namespace narrowgate::group_int8
