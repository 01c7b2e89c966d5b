// The int8 schemes: where the codes of A and B come from. The arithmetic is that of int8.h.
//
//   tensor         A and B symmetric, one scale each
//   column         A one scale, B one scale for each column
//   column_zp      A asymmetric with one zero point (stored as q − 128, z − 128), B as in column
//   token          A one scale for each row, found at run time; B as in column (dynamic W8A8)
//   token_zp       A asymmetric, one scale and zero point for each row; B as in column
//   static_p9999   A's scale from the 99.99th percentile of |x| over a calibration tensor: larger values saturate
//   smooth         A divided and B multiplied by SmoothQuant's factors of the calibration tensor, then as token
//   smooth_pow2    the same with factors rounded to powers of two, so that no element is rounded
//   column_24      B pruned 2 of 4 along k, then as column
//   mixed          channels of A with an |x| ≥ 6 stay FP32 with their rows of B; the rest as token (Dettmers et al. 2022)
#include "kernels/int8/int8.h"

#include <fmt/format.h>

#include "kernels/formats/all_formats.h"
#include "kernels/int8/outliers.h"
#include "kernels/quantize/calibration.h"
#include "kernels/quantize/factors.h"
#include "kernels/quantize/integer.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/scheme_parts.h"

namespace narrowgate::int8 {
namespace {

using parts::both;
using quantize::FactorRounding;

const Granularity kTensor = Granularity::tensor(), kColumn = Granularity::column(), kRow = Granularity::row();

template <std::int64_t kMaxDepth>
std::optional<std::string> refuses_depth(Shape shape) {
  if (shape.k <= kMaxDepth) return std::nullopt;
  return fmt::format("k = {} exceeds {}: at full scale the int32 accumulator would overflow", shape.k, kMaxDepth);
}

Scheme int8_scheme(std::string_view id, std::string_view title, Quantization quantization, Day98Gate gate) {
  return {.id = id,
          .family = "int8",
          .title = title,
          .accumulation = Accumulation::integer(),
          .quantization = std::move(quantization),
          .day98_gate = gate,
          .refuses_shape = refuses_depth<kMaxDepthSymmetric>};
}

Scheme with_zero_point(Scheme scheme) {
  scheme.refuses_shape = refuses_depth<kMaxDepthZeroPoint>;
  return scheme;
}

Scheme with_calibration(Scheme scheme) {
  scheme.needs_calibration = true;
  return scheme;
}

std::span<const float> flat(View<const float> x) { return {x.data, static_cast<std::size_t>(x.rows * x.cols)}; }

Quantization static_range(double percentile) {
  return {[=](const SchemeInputs& in) {
            const float range = quantize::percentile_range(flat(in.calibration), percentile);
            return parts::fit(parts::marked_own_codes(quantize::symmetric_integer_with_ranges(
                                  in.a, formats::kInt8, kTensor, quantize::ScaleStorage::fp32, {&range, 1})),
                              quantize::symmetric_int8(in.b, kColumn));
          },
          [=](const SchemeInputs& in) {
            const float range = reference::replay_percentile_range(flat(in.calibration), percentile);
            Operands operands;
            operands.a = reference::replay_symmetric_integer_with_ranges(in.a, formats::kInt8, kTensor,
                                                                         quantize::ScaleStorage::fp32, {&range, 1});
            operands.b = reference::replay_int8(in.b, kColumn, reference::IntegerRange::kSymmetric);
            return operands;
          }};
}

Operands with_scaled_data(Operands operands, Matrix<float> a, Matrix<float> b) {
  operands.preparation = Preparation::kScaled;
  operands.encoded_a = std::move(a);
  operands.encoded_b = std::move(b);
  return operands;
}

Quantization smoothed(FactorRounding rounding) {
  return {[=](const SchemeInputs& in) -> OrRefusal<Operands> {
            for (const View<const float> x : {in.a, in.b}) {
              if (auto finite = quantize::refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
            }
            const auto factors = quantize::smooth_factors(in.calibration, in.b, rounding);
            Matrix<float> a = quantize::divided_columns(in.a, factors), b = quantize::multiplied_rows(in.b, factors);
            auto operands = parts::fit(quantize::symmetric_int8(std::as_const(a).view(), kRow),
                                       quantize::symmetric_int8(std::as_const(b).view(), kColumn));
            if (!operands) return operands;
            return with_scaled_data(std::move(*operands), std::move(a), std::move(b));
          },
          [=](const SchemeInputs& in) {
            const auto factors = reference::replay_smooth_factors(in.calibration, in.b, rounding);
            Matrix<float> a = reference::replay_divided_columns(in.a, factors);
            Matrix<float> b = reference::replay_multiplied_rows(in.b, factors);
            Operands operands;
            operands.a = reference::replay_int8(std::as_const(a).view(), kRow, reference::IntegerRange::kSymmetric);
            operands.b = reference::replay_int8(std::as_const(b).view(), kColumn, reference::IntegerRange::kSymmetric);
            return with_scaled_data(std::move(operands), std::move(a), std::move(b));
          }};
}

Operands with_outliers(Operands operands, SplitOutliers split) {
  operands.preparation = Preparation::kSplit;
  operands.encoded_a = std::move(split.inlier_a);
  operands.encoded_b = std::move(split.inlier_b);
  operands.outlier_a = std::move(split.outlier_a);
  operands.outlier_b = std::move(split.outlier_b);
  return operands;
}

Quantization outliers_apart() {
  return {[](const SchemeInputs& in) -> OrRefusal<Operands> {
            for (const View<const float> x : {in.a, in.b}) {
              if (auto finite = quantize::refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
            }
            SplitOutliers split = split_outliers(in.a, in.b, kOutlierThreshold);
            auto operands = parts::fit(quantize::symmetric_int8(std::as_const(split.inlier_a).view(), kRow),
                                       quantize::symmetric_int8(std::as_const(split.inlier_b).view(), kColumn));
            if (!operands) return operands;
            return with_outliers(std::move(*operands), std::move(split));
          },
          [](const SchemeInputs& in) {
            SplitOutliers split = split_outliers(in.a, in.b, kOutlierThreshold);
            Operands operands;
            operands.a = reference::replay_int8(std::as_const(split.inlier_a).view(), kRow, reference::IntegerRange::kSymmetric);
            operands.b = reference::replay_int8(std::as_const(split.inlier_b).view(), kColumn, reference::IntegerRange::kSymmetric);
            return with_outliers(std::move(operands), std::move(split));
          }};
}

Scheme column_scheme(std::string_view id, std::string_view title) {
  return int8_scheme(id, title, both(parts::int8(kTensor), parts::int8(kColumn)), Day98Gate::kDecides);
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

extern const Scheme tensor, column, column_zp, token, token_zp, static_p9999, smooth, smooth_pow2, column_24, mixed,
    column_f16out, column_bias;

const Scheme tensor = int8_scheme("int8.tensor", "INT8, one scale for all of A and one for all of B",
                                  both(parts::int8(kTensor), parts::int8(kTensor)), Day98Gate::kMeasuredOnly);
const Scheme column = column_scheme("int8.column", "INT8, one scale for all of A and one for each column of B");
const Scheme column_zp = with_zero_point(int8_scheme(
    "int8.column_zp", "INT8, A asymmetric with a zero point, one scale for each column of B",
    both(parts::int8_with_zero_point(kTensor), parts::int8(kColumn)), Day98Gate::kDecides));
const Scheme token = int8_scheme("int8.token", "INT8, one scale for each row of A and each column of B (dynamic W8A8)",
                                 both(parts::int8(kRow), parts::int8(kColumn)), Day98Gate::kDecides);
const Scheme token_zp = with_zero_point(int8_scheme(
    "int8.token_zp", "INT8, a scale and a zero point for each row of A, one scale for each column of B",
    both(parts::int8_with_zero_point(kRow), parts::int8(kColumn)), Day98Gate::kDecides));
const Scheme static_p9999 = with_calibration(int8_scheme(
    "int8.static_p9999", "INT8, A clipped at the 99.99th percentile of a calibration tensor, one scale for each column of B",
    static_range(0.9999), Day98Gate::kDoesNotApply));
const Scheme smooth = with_calibration(int8_scheme("int8.smooth", "INT8 after SmoothQuant's channel factors, as int8.token",
                                                   smoothed(FactorRounding::fp32), Day98Gate::kDoesNotApply));
const Scheme smooth_pow2 = with_calibration(int8_scheme("int8.smooth_pow2", "INT8 after SmoothQuant's factors as powers of two",
                                                        smoothed(FactorRounding::power_of_two), Day98Gate::kDoesNotApply));
const Scheme column_24 = int8_scheme("int8.column_24", "INT8, B pruned 2 of 4 along k, one scale for each column of B",
                                     parts::pruned24(parts::int8(kTensor), parts::int8(kColumn)), Day98Gate::kDoesNotApply);
const Scheme mixed = int8_scheme("int8.mixed", "INT8 as int8.token, outlier channels of A in FP32 (LLM.int8())",
                                 outliers_apart(), Day98Gate::kDoesNotApply);
const Scheme column_f16out = parts::with_fp16_output(column_scheme("int8.column.f16out", "int8.column, stored as FP16"));
const Scheme column_bias = parts::with_bias(column_scheme("int8.column.bias", "int8.column, then a bias for each column"));

std::optional<std::string> tensor_depth_refusal(Shape shape) { return refuses_depth<kMaxDepthSymmetric>(shape); }

Arguments place(const Operands& operands, View<float> c, Memory& memory) {
  const QuantizedMatrix& a = operands.a;
  const QuantizedMatrix& b = operands.b;
  Arguments args{};
  args.a = memory.place("codes of A", a.codes.view());
  args.b = memory.place("codes of B", b.codes.view());
  args.c = c;
  args.epilogue = place_epilogue(operands, memory);
  if (!a.zero_points.empty()) {
    const std::vector<std::int32_t> sums = column_sums(b.codes);
    args.a_zero_points = memory.place("zero points of A", std::span<const std::int32_t>(a.zero_points));
    args.a_zero_point_stride = a.granularity == kTensor ? 0 : 1;
    args.b_column_sums = memory.place("column sums of B", std::span<const std::int32_t>(sums));
  }
  if (!operands.outlier_a.empty()) {
    args.outlier_a = memory.place("outlier channels of A", operands.outlier_a.view());
    args.outlier_b = memory.place("outlier channels of B", operands.outlier_b.view());
  }
  return args;
}

}  // namespace narrowgate::int8
