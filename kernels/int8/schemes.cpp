#include <fmt/format.h>

#include "kernels/int8/int8.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/prune24.h"
#include "kernels/reference/quantize_oracle.h"

namespace narrowgate::int8 {
namespace {

using quantize::asymmetric_int8;
using quantize::symmetric_int8;
using reference::IntegerRange;
using reference::replay_int8;

OrRefusal<Operands> both(OrRefusal<QuantizedMatrix> a, OrRefusal<QuantizedMatrix> b, Matrix<float> pruned_b = {}) {
  if (!a) return tl::unexpected(Refusal{"A: " + a.error().reason});
  if (!b) return tl::unexpected(Refusal{"B: " + b.error().reason});
  return Operands{std::move(*a), std::move(*b), std::move(pruned_b)};
}

OrRefusal<Operands> quantize_tensor(View<const float> a, View<const float> b) {
  return both(symmetric_int8(a, Granularity::tensor()), symmetric_int8(b, Granularity::tensor()));
}
Operands replay_tensor(View<const float> a, View<const float> b) {
  return {replay_int8(a, Granularity::tensor(), IntegerRange::kSymmetric),
          replay_int8(b, Granularity::tensor(), IntegerRange::kSymmetric), {}};
}

OrRefusal<Operands> quantize_column(View<const float> a, View<const float> b) {
  return both(symmetric_int8(a, Granularity::tensor()), symmetric_int8(b, Granularity::column()));
}
Operands replay_column(View<const float> a, View<const float> b) {
  return {replay_int8(a, Granularity::tensor(), IntegerRange::kSymmetric),
          replay_int8(b, Granularity::column(), IntegerRange::kSymmetric), {}};
}

OrRefusal<Operands> quantize_column_zp(View<const float> a, View<const float> b) {
  return both(asymmetric_int8(a, Granularity::tensor()), symmetric_int8(b, Granularity::column()));
}
Operands replay_column_zp(View<const float> a, View<const float> b) {
  return {replay_int8(a, Granularity::tensor(), IntegerRange::kAsymmetric),
          replay_int8(b, Granularity::column(), IntegerRange::kSymmetric), {}};
}

OrRefusal<Operands> quantize_column_24(View<const float> a, View<const float> b) {
  if (auto finite = quantize::refuse_non_finite(b); !finite) return tl::unexpected(Refusal{"B: " + finite.error().reason});
  Matrix<float> pruned = quantize::prune24(b);
  auto quantized_b = symmetric_int8(pruned.view(), Granularity::column());
  return both(symmetric_int8(a, Granularity::tensor()), std::move(quantized_b), std::move(pruned));
}
Operands replay_column_24(View<const float> a, View<const float> b) {
  Matrix<float> pruned = reference::replay_prune24(b);
  QuantizedMatrix quantized_b = replay_int8(pruned.view(), Granularity::column(), IntegerRange::kSymmetric);
  return {replay_int8(a, Granularity::tensor(), IntegerRange::kSymmetric), std::move(quantized_b), std::move(pruned)};
}

template <std::int64_t kMaxDepth>
std::optional<std::string> refuses_depth(Shape shape) {
  if (shape.k <= kMaxDepth) return std::nullopt;
  return fmt::format("k = {} exceeds {}: at full scale the int32 accumulator would overflow", shape.k, kMaxDepth);
}

// The column sums of B's codes, which turn a zero point of A into one correction per column.
std::vector<std::int32_t> column_sums(const Matrix<std::int8_t>& codes) {
  std::vector<std::int32_t> sums(static_cast<std::size_t>(codes.cols()));
  for (std::int64_t row = 0; row < codes.rows(); ++row) {
    for (std::int64_t col = 0; col < codes.cols(); ++col) sums[static_cast<std::size_t>(col)] += codes(row, col);
  }
  return sums;
}

}  // namespace

extern const Scheme tensor, column, column_zp, column_24;

const Scheme tensor = {.id = "int8.tensor",
                       .family = "int8",
                       .title = "INT8, one scale for all of A and one for all of B",
                       .accumulation = reference::Accumulation::kInteger,
                       .day98_gate = Day98Gate::kMeasuredOnly,
                       .replay_quantize = replay_tensor,
                       .quantize = quantize_tensor,
                       .refuses = refuses_depth<kMaxDepthSymmetric>};

const Scheme column = {.id = "int8.column",
                       .family = "int8",
                       .title = "INT8, one scale for all of A and one for each column of B",
                       .accumulation = reference::Accumulation::kInteger,
                       .day98_gate = Day98Gate::kDecides,
                       .replay_quantize = replay_column,
                       .quantize = quantize_column,
                       .refuses = refuses_depth<kMaxDepthSymmetric>};

const Scheme column_zp = {.id = "int8.column_zp",
                          .family = "int8",
                          .title = "INT8, A asymmetric with a zero point, one scale for each column of B",
                          .accumulation = reference::Accumulation::kInteger,
                          .day98_gate = Day98Gate::kDecides,
                          .replay_quantize = replay_column_zp,
                          .quantize = quantize_column_zp,
                          .refuses = refuses_depth<kMaxDepthZeroPoint>};

const Scheme column_24 = {.id = "int8.column_24",
                          .family = "int8",
                          .title = "INT8, B pruned 2 of 4 along k, one scale for each column of B",
                          .accumulation = reference::Accumulation::kInteger,
                          .day98_gate = Day98Gate::kDoesNotApply,
                          .replay_quantize = replay_column_24,
                          .quantize = quantize_column_24,
                          .refuses = refuses_depth<kMaxDepthSymmetric>};

Arguments place(const Operands& operands, View<float> c, Memory& memory) {
  const QuantizedMatrix& a = operands.a;
  const QuantizedMatrix& b = operands.b;
  Arguments args{};
  args.a = memory.place("codes of A", a.codes.view());
  args.b = memory.place("codes of B", b.codes.view());
  args.c = c;
  args.a_scales = memory.place("scales of A", std::span<const float>(a.scales));
  args.b_scales = memory.place("scales of B", std::span<const float>(b.scales));
  args.a_scale_stride = a.granularity == Granularity::tensor() ? 0 : 1;
  args.b_scale_stride = b.granularity == Granularity::tensor() ? 0 : 1;
  if (!a.zero_points.empty()) {
    const std::vector<std::int32_t> sums = column_sums(b.codes);
    args.a_zero_points = memory.place("zero points of A", std::span<const std::int32_t>(a.zero_points));
    args.b_column_sums = memory.place("column sums of B", std::span<const std::int32_t>(sums));
  }
  return args;
}

}  // namespace narrowgate::int8
