// decoded, cpu.simd: weights are decoded and packed when the kernel is bound, activations are decoded in each launch;
// then one blocked product that keeps the order (reference/packed_product.h), vectors over n, threads over m.
// A library (OpenBLAS, oneDNN) multiplies faster, but in an order of its own choosing: its bits are not the scheme's.
#include <array>
#include <cmath>
#include <memory>

#include "kernels/decoded/decoded.h"
#include "kernels/formats/scalar.h"
#include "kernels/parallel.h"
#include "kernels/reference/packed_product.h"

namespace narrowgate::decoded {
namespace {

// One operand's codes, placed, and what turns them into values: a table of the 256 codes, zero points and scales.
class Decoder {
 public:
  Decoder(const QuantizedMatrix& matrix, BlockAxis axis, Accumulation accumulation, std::string_view name, Memory& memory)
      : codes_(memory.place(name, matrix.codes.view())), granularity_(matrix.granularity) {
    for (int code = 0; code < 256; ++code) {
      const auto stored = static_cast<std::int8_t>(code);
      table_[static_cast<std::size_t>(code)] = value_of(matrix, stored);
    }
    const bool is_scaled = scale_varies_along_k(granularity_, axis) && accumulation.order != Accumulation::Order::kBlocks;
    if (is_scaled) scales_ = matrix.scales;
    zero_points_ = matrix.fractional_zero_points;
    for (const std::int32_t zero_point : matrix.zero_points) zero_points_.push_back(static_cast<float>(zero_point));
  }

  Matrix<float> values() const {
    Matrix<float> result(codes_.rows, codes_.cols);
    parallel_for(codes_.rows, [&](std::int64_t row) { decode_row(row, result.view().row(row)); });
    return result;
  }

 private:
  static float value_of(const QuantizedMatrix& matrix, std::int8_t stored) {
    if (matrix.element == nullptr) return stored;
    if (matrix.element->is_floating()) return formats::decode(*matrix.element, static_cast<std::uint8_t>(stored));
    return static_cast<float>(stored * formats::power_of_two(-matrix.element->fraction_bits));
  }

  void decode_row(std::int64_t row, float* out) const {
    const std::int8_t* codes = codes_.row(row);
    for (std::int64_t col = 0; col < codes_.cols; ++col) out[col] = table_[static_cast<std::uint8_t>(codes[col])];
    const std::int64_t run = granularity_.cols == 0 ? codes_.cols : granularity_.cols;
    const std::int64_t first_block = granularity_.index(row, 0, codes_.cols);
    for (std::int64_t first = 0, block = first_block; first < codes_.cols; first += run, ++block) {
      const float zero_point = zero_points_.empty() ? 0.0f : zero_points_[static_cast<std::size_t>(block)];
      const float scale = scales_.empty() ? 1.0f : scales_[static_cast<std::size_t>(block)];
      for (std::int64_t col = first; col < std::min(first + run, codes_.cols); ++col) out[col] = (out[col] - zero_point) * scale;
    }
  }

  View<const std::int8_t> codes_;
  Granularity granularity_;
  std::array<float, 256> table_{};
  std::vector<float> scales_, zero_points_;  // by block; empty where there are none
};

struct Bound {
  std::optional<Decoder> a_codes;
  View<const float> a_values;
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
  Matrix<float> decoded;
  View<const float> a = bound.a_values;
  if (bound.a_codes) {
    decoded = bound.a_codes->values();
    a = std::as_const(decoded).view();
  }
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
  if (operands.a.is_float()) bound->a_values = memory.place("A", operands.a.values.view());
  else bound->a_codes.emplace(operands.a, BlockAxis::cols, operands.accumulation, "codes of A", memory);
  if (operands.b.is_float()) {
    bound->product.emplace(memory.place("B", operands.b.values.view()), operands.accumulation);
  } else {
    const Matrix<float> b = Decoder(operands.b, BlockAxis::rows, operands.accumulation, "codes of B", memory).values();
    bound->product.emplace(b.view(), operands.accumulation);
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
