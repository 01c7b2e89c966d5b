// decoded, cpu.simd: weights are decoded and packed when the kernel is bound, activations are decoded in each launch;
// then one blocked product that keeps the order (reference/packed_product.h), vectors over n, threads over m.
// A library (OpenBLAS, oneDNN) multiplies faster, but in an order of its own choosing: its bits are not the scheme's.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/decoded/codes.h"
#include "kernels/decoded/decoded.h"
#include "kernels/parallel.h"
#include "kernels/reference/packed_product.h"

namespace narrowgate::decoded {
namespace {

// A row of values at once: a table look-up, then blocks of one scale.
void decode_row(const Codes& from, std::int64_t row, float* out) {
  const std::int8_t* codes = from.codes.row(row);
  const std::int64_t cols = from.codes.cols;
  for (std::int64_t col = 0; col < cols; ++col) out[col] = from.table[static_cast<std::uint8_t>(codes[col])];
  if (from.scales == nullptr) return;
  const std::int64_t run = from.block_cols == 0 ? cols : from.block_cols;
  for (std::int64_t first = 0, block = from.block(row, 0); first < cols; first += run, ++block) {
    const float zero_point = from.zero_points == nullptr ? 0.0f : from.zero_points[block];
    const float scale = from.scales[block];
    for (std::int64_t col = first; col < std::min(first + run, cols); ++col) out[col] = (out[col] - zero_point) * scale;
  }
}

Matrix<float> decode(const Codes& from) {
  Matrix<float> result(from.rows(), from.cols());
  parallel_for(from.rows(), [&](std::int64_t row) { decode_row(from, row, result.view().row(row)); });
  return result;
}

struct Bound {
  Codes a;
  std::optional<PackedFloatProduct> product;
  BlockScales scales;
  Epilogue epilogue;
  View<float> c;
  bool is_by_blocks = false;
};

void finish_row(const Bound& bound, std::int64_t row, const float* sums) {
  float* c = bound.c.row(row);
  for (std::int64_t col = 0; col < bound.c.cols; ++col) c[col] = bound.epilogue(sums[col], row, col);
}

void join_block(const BlockScales& scales, std::int64_t row, std::int64_t block, std::int64_t columns, const float* t,
                float* acc) {
  const float a_scale = scales.a(row, block);
  const float* b_scales = scales.b.row(block);
  for (std::int64_t col = 0; col < columns; ++col) acc[col] = std::fma(t[col], a_scale * b_scales[col], acc[col]);
}

void run(const Bound& bound) {
  const bool is_coded = bound.a.values.data == nullptr;
  const Matrix<float> decoded = is_coded ? decode(bound.a) : Matrix<float>();
  const View<const float> a = is_coded ? decoded.view() : bound.a.values;
  const FinishRow<float> finish = [&](std::int64_t row, float* sums) { finish_row(bound, row, sums); };
  if (!bound.is_by_blocks) return bound.product->run(a, finish);
  bound.product->run_blocks(a,
                            [&](std::int64_t row, std::int64_t block, const float* t, float* acc) {
                              join_block(bound.scales, row, block, bound.c.cols, t, acc);
                            },
                            finish);
}

Launch bind_packed(const Operands& operands, View<float> c, Memory& memory) {
  const auto bound = std::make_shared<Bound>();
  bound->a = place_codes("A", operands.a, BlockAxis::cols, operands.accumulation, memory);
  const Codes b = place_codes("B", operands.b, BlockAxis::rows, operands.accumulation, memory);
  if (b.values.data != nullptr) {
    bound->product.emplace(b.values, operands.accumulation);
  } else {
    const Matrix<float> decoded = decode(b);
    bound->product.emplace(decoded.view(), operands.accumulation);
  }
  bound->scales = place_block_scales(operands, memory);
  bound->epilogue = place_epilogue(operands, memory);
  bound->c = c;
  bound->is_by_blocks = operands.accumulation.order == Accumulation::Order::kBlocks;
  return [bound] { run(*bound); };
}

}  // namespace

extern const Kernel cpu_simd;
const Kernel cpu_simd = {.folder = "decoded",
                         .name = "cpu.simd",
                         .backend = Backend::kCpu,
                         .contract = Contract::kExact,
                         .arithmetic = "FP32 fused multiply-adds in the CPU's vector units",
                         .source = "kernels/decoded/cpu_simd.cpp",
                         .computes = computes_floats,
                         .unsupported = supports_everything,
                         .bind = bind_packed};

}  // namespace narrowgate::decoded
