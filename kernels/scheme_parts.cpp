#include "kernels/scheme_parts.h"

#include <fmt/format.h>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/float_values.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/mx_mse.h"
#include "kernels/quantize/nvfp4.h"
#include "kernels/quantize/prune24.h"
#include "kernels/quantize/scaled_float.h"
#include "kernels/quantize/weight_quantizers.h"
#include "kernels/reference/quantize_oracle.h"

namespace narrowgate::parts {
namespace {

using formats::Format;
using quantize::ScaleStorage;
using reference::IntegerRange;

// The same function for the fast code and the replay: only for operands that are copied as they are.
QuantizedMatrix copied(View<const float> x, const Format* element) {
  QuantizedMatrix result;
  result.values = Matrix<float>(x.rows, x.cols);
  for (std::int64_t row = 0; row < x.rows; ++row) std::copy_n(x.row(row), x.cols, result.values.view().row(row));
  result.scales = {1.0f};
  result.element = element;
  return result;
}

// For codes that are not the nearest within min–max: their error is known from the codes alone.
OperandQuantizer by_own_codes(OperandQuantizer quantizer) {
  quantizer.fast = [inner = quantizer.fast](View<const float> x) { return marked_own_codes(inner(x)); };
  return quantizer;
}

}  // namespace

OrRefusal<QuantizedMatrix> marked_own_codes(OrRefusal<QuantizedMatrix> quantized) {
  if (quantized) quantized->error_model = ErrorModel::kOwnCodes;
  return quantized;
}

OperandQuantizer fp32() {
  return {quantize::fp32_values, [](View<const float> x) { return copied(x, nullptr); }};
}

OperandQuantizer fp16() {
  return {quantize::fp16_values, [](View<const float> x) {
            const Matrix<float> rounded = reference::replay_fp16(x);
            return copied(rounded.view(), &formats::kFp16);
          }};
}

OperandQuantizer int8(Granularity granularity) {
  return {[=](View<const float> x) { return quantize::symmetric_int8(x, granularity); },
          [=](View<const float> x) { return reference::replay_int8(x, granularity, IntegerRange::kSymmetric); }};
}

OperandQuantizer int8_with_zero_point(Granularity granularity) {
  return {[=](View<const float> x) { return quantize::asymmetric_int8(x, granularity); },
          [=](View<const float> x) { return reference::replay_int8(x, granularity, IntegerRange::kAsymmetric); }};
}

OperandQuantizer integers(const Format& element, Granularity granularity, ScaleStorage storage) {
  const Format* format = &element;
  if (format->kind == formats::Kind::sign) {
    return by_own_codes({[=](View<const float> x) { return quantize::binary(x, granularity, storage); },
                         [=](View<const float> x) { return reference::replay_binary(x, granularity, storage); }});
  }
  if (format == &formats::kTernary) {
    return by_own_codes({[=](View<const float> x) { return quantize::ternary(x, granularity, storage); },
                         [=](View<const float> x) { return reference::replay_ternary(x, granularity, storage); }});
  }
  if (!format->is_signed) {
    return {[=](View<const float> x) { return quantize::asymmetric_integer(x, *format, granularity, storage); },
            [=](View<const float> x) { return reference::replay_asymmetric_integer(x, *format, granularity, storage); }};
  }
  return {[=](View<const float> x) { return quantize::symmetric_integer(x, *format, granularity, storage); },
          [=](View<const float> x) { return reference::replay_symmetric_integer(x, *format, granularity, storage); }};
}

OperandQuantizer mse_clipped(const Format& element, std::int64_t group) {
  return by_own_codes({[&element, group](View<const float> x) { return quantize::mse_clipped_integer(x, element, group); },
                       [&element, group](View<const float> x) { return reference::replay_mse_clipped_integer(x, element, group); }});
}

OperandQuantizer hqq(const Format& element, std::int64_t group) {
  return by_own_codes({[&element, group](View<const float> x) { return quantize::hqq(x, element, group); },
                       [&element, group](View<const float> x) { return reference::replay_hqq(x, element, group); }});
}

OperandQuantizer scaled_float(const Format& element, Granularity granularity) {
  return {[&element, granularity](View<const float> x) { return quantize::scaled_float(x, element, granularity); },
          [&element, granularity](View<const float> x) { return reference::replay_scaled_float(x, element, granularity); }};
}

OperandQuantizer mx(const Format& element, quantize::MxRule rule, BlockAxis k_axis) {
  return {[&element, rule, k_axis](View<const float> x) { return quantize::mx(x, element, rule, k_axis); },
          [&element, rule, k_axis](View<const float> x) { return reference::replay_mx(x, element, rule, k_axis); }};
}

OperandQuantizer mx_mse(const Format& element, BlockAxis k_axis) {
  return by_own_codes({[&element, k_axis](View<const float> x) { return quantize::mx_mse(x, element, k_axis); },
                       [&element, k_axis](View<const float> x) { return reference::replay_mx_mse(x, element, k_axis); }});
}

OperandQuantizer nvfp4(BlockAxis k_axis) {
  return {[k_axis](View<const float> x) { return quantize::nvfp4(x, k_axis); },
          [k_axis](View<const float> x) { return reference::replay_nvfp4(x, k_axis); }};
}

OrRefusal<Operands> fit(OrRefusal<QuantizedMatrix> a, OrRefusal<QuantizedMatrix> b) {
  if (!a) return tl::unexpected(Refusal{"A: " + a.error().reason});
  if (!b) return tl::unexpected(Refusal{"B: " + b.error().reason});
  Operands operands;
  operands.a = std::move(*a);
  operands.b = std::move(*b);
  return operands;
}

Quantization both(OperandQuantizer a, OperandQuantizer b) {
  return {[fast_a = a.fast, fast_b = b.fast](const SchemeInputs& in) { return fit(fast_a(in.a), fast_b(in.b)); },
          [replay_a = a.replay, replay_b = b.replay](const SchemeInputs& in) {
            Operands operands;
            operands.a = replay_a(in.a);
            operands.b = replay_b(in.b);
            return operands;
          }};
}

Quantization pruned24(OperandQuantizer a, OperandQuantizer b) {
  const auto complete = [](Operands operands, Matrix<float> pruned) {
    operands.preparation = Preparation::kPruned;
    operands.encoded_b = std::move(pruned);
    return operands;
  };
  return {[=](const SchemeInputs& in) -> OrRefusal<Operands> {
            if (auto finite = quantize::refuse_non_finite(in.b); !finite) {
              return tl::unexpected(Refusal{"B: " + finite.error().reason});
            }
            Matrix<float> pruned = quantize::prune24(in.b);
            auto operands = fit(a.fast(in.a), b.fast(std::as_const(pruned).view()));
            if (!operands) return operands;
            return complete(std::move(*operands), std::move(pruned));
          },
          [=](const SchemeInputs& in) {
            Matrix<float> pruned = reference::replay_prune24(in.b);
            Operands operands;
            operands.a = a.replay(in.a);
            operands.b = b.replay(std::as_const(pruned).view());
            return complete(std::move(operands), std::move(pruned));
          }};
}

Scheme with_fp16_output(Scheme scheme) {
  scheme.output = OutputFormat::kFp16;
  scheme.day98_gate = Day98Gate::kDoesNotApply;
  return scheme;
}

Scheme with_bias(Scheme scheme) {
  scheme.has_bias = true;
  scheme.day98_gate = Day98Gate::kDoesNotApply;
  return scheme;
}

std::optional<std::string> refuses_deeper_than_offline(Shape shape) {
  if (shape.k <= kMaxOfflineDepth) return std::nullopt;
  return fmt::format("k = {} exceeds {}: the quantizer runs offline, and its answer is pinned only up to there", shape.k,
                     kMaxOfflineDepth);
}

}  // namespace narrowgate::parts
