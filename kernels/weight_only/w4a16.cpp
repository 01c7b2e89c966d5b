#include "kernels/quantize/factors.h"
#include "kernels/quantize/float_values.h"
#include "kernels/quantize/integer.h"
#include "kernels/quantize/weight_quantizers.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/weight_only/weight_only.h"

namespace narrowgate::w4a16 {
namespace {

constexpr std::int64_t kGroup = 128;
constexpr Accumulation kChain = Accumulation::chain();
constexpr Accumulation kLanes = Accumulation::lanes(lane_vector(4));

using weight_only::rounded;

Scheme mse(std::string_view id, std::string_view title, Accumulation accumulation) {
  return weight_only::offline(
      weight_only::scheme(id, title, accumulation, parts::mse_clipped(formats::kInt4, kGroup)));
}

Scheme hqq(std::string_view id, std::string_view title, Accumulation accumulation) {
  return weight_only::offline(weight_only::scheme(id, title, accumulation, parts::hqq(formats::kUint4, kGroup)));
}

Scheme calibrated(std::string_view id, std::string_view title, Accumulation accumulation, Quantization quantization) {
  return weight_only::offline({.id = id,
                               .family = "w4a16",
                               .title = title,
                               .accumulation = accumulation,
                               .quantization = std::move(quantization),
                               .needs_calibration = true});
}

Operands with_scaled_data(Operands operands, Matrix<float> a, Matrix<float> b) {
  operands.preparation = Preparation::kScaled;
  operands.encoded_a = std::move(a);
  operands.encoded_b = std::move(b);
  return operands;
}

Scheme awq(std::string_view id, std::string_view title, Accumulation accumulation, const formats::Format& element) {
  const auto fast = [&element](const SchemeInputs& in) -> OrRefusal<Operands> {
    for (const View<const float> x : {in.a, in.b}) {
      if (auto finite = quantize::refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
    }
    auto scaled = quantize::awq(in.b, in.calibration, element, kGroup);
    if (!scaled) return tl::unexpected(Refusal{"B: " + scaled.error().reason});
    Matrix<float> a = quantize::divided_columns(in.a, scaled->factors), b = quantize::multiplied_rows(in.b, scaled->factors);
    auto operands = parts::fit(quantize::fp16_values(std::as_const(a).view()), std::move(scaled->weights));
    if (!operands) return operands;
    return with_scaled_data(std::move(*operands), std::move(a), std::move(b));
  };
  const auto replay = [&element](const SchemeInputs& in) {
    quantize::ScaledWeights scaled = reference::replay_awq(in.b, in.calibration, element, kGroup);
    Matrix<float> a = reference::replay_divided_columns(in.a, scaled.factors);
    Matrix<float> b = reference::replay_multiplied_rows(in.b, scaled.factors);
    Operands operands;
    operands.a = parts::fp16().replay(std::as_const(a).view());
    operands.b = std::move(scaled.weights);
    return with_scaled_data(std::move(operands), std::move(a), std::move(b));
  };
  return calibrated(id, title, accumulation, {fast, replay});
}

Scheme gptq(std::string_view id, std::string_view title, Accumulation accumulation, const formats::Format& element) {
  const auto fast = [&element](const SchemeInputs& in) {
    return parts::fit(quantize::fp16_values(in.a),
                      parts::marked_own_codes(quantize::gptq(in.b, in.calibration, element, kGroup)));
  };
  const auto replay = [&element](const SchemeInputs& in) {
    Operands operands;
    operands.a = parts::fp16().replay(in.a);
    operands.b = reference::replay_gptq(in.b, in.calibration, element, kGroup);
    return operands;
  };
  return calibrated(id, title, accumulation, {fast, replay});
}

}  // namespace

extern const Scheme g128_rtn_chain, g128_rtn_lanes, g128_zp_rtn_chain, g128_zp_rtn_lanes;
extern const Scheme g64_rtn_chain, g64_rtn_lanes, g64_zp_rtn_chain, g64_zp_rtn_lanes;
extern const Scheme g32_rtn_chain, g32_rtn_lanes, g32_zp_rtn_chain, g32_zp_rtn_lanes;
extern const Scheme g128_mse_chain, g128_mse_lanes, g128_zp_hqq_chain, g128_zp_hqq_lanes;
extern const Scheme g128_awq_chain, g128_awq_lanes, g128_zp_awq_chain, g128_zp_awq_lanes;
extern const Scheme g128_gptq_chain, g128_gptq_lanes, g128_zp_gptq_chain, g128_zp_gptq_lanes;
extern const Scheme g128_rtn_chain_f16out, g128_rtn_chain_bias;

const Scheme g128_rtn_chain = rounded("w4a16.g128.rtn.chain", "INT4 weights, an FP16 scale for each 128 along k", kChain, formats::kInt4, 128);
const Scheme g128_rtn_lanes = rounded("w4a16.g128.rtn.lanes", "INT4 weights, an FP16 scale for each 128 along k; lanes", kLanes, formats::kInt4, 128);
const Scheme g128_zp_rtn_chain = rounded("w4a16.g128_zp.rtn.chain", "INT4 weights, an FP16 scale and a zero point for each 128 along k", kChain, formats::kUint4, 128);
const Scheme g128_zp_rtn_lanes = rounded("w4a16.g128_zp.rtn.lanes", "INT4 weights, an FP16 scale and a zero point for each 128 along k; lanes", kLanes, formats::kUint4, 128);
const Scheme g64_rtn_chain = rounded("w4a16.g64.rtn.chain", "INT4 weights, an FP16 scale for each 64 along k", kChain, formats::kInt4, 64);
const Scheme g64_rtn_lanes = rounded("w4a16.g64.rtn.lanes", "INT4 weights, an FP16 scale for each 64 along k; lanes", kLanes, formats::kInt4, 64);
const Scheme g64_zp_rtn_chain = rounded("w4a16.g64_zp.rtn.chain", "INT4 weights, an FP16 scale and a zero point for each 64 along k", kChain, formats::kUint4, 64);
const Scheme g64_zp_rtn_lanes = rounded("w4a16.g64_zp.rtn.lanes", "INT4 weights, an FP16 scale and a zero point for each 64 along k; lanes", kLanes, formats::kUint4, 64);
const Scheme g32_rtn_chain = rounded("w4a16.g32.rtn.chain", "INT4 weights, an FP16 scale for each 32 along k", kChain, formats::kInt4, 32);
const Scheme g32_rtn_lanes = rounded("w4a16.g32.rtn.lanes", "INT4 weights, an FP16 scale for each 32 along k; lanes", kLanes, formats::kInt4, 32);
const Scheme g32_zp_rtn_chain = rounded("w4a16.g32_zp.rtn.chain", "INT4 weights, an FP16 scale and a zero point for each 32 along k", kChain, formats::kUint4, 32);
const Scheme g32_zp_rtn_lanes = rounded("w4a16.g32_zp.rtn.lanes", "INT4 weights, an FP16 scale and a zero point for each 32 along k; lanes", kLanes, formats::kUint4, 32);
const Scheme g128_mse_chain = mse("w4a16.g128.mse.chain", "INT4 weights, groups of 128, clipped to the least squared error", kChain);
const Scheme g128_mse_lanes = mse("w4a16.g128.mse.lanes", "INT4 weights, groups of 128, clipped to the least squared error; lanes", kLanes);
const Scheme g128_zp_hqq_chain = hqq("w4a16.g128_zp.hqq.chain", "INT4 weights, groups of 128, half-quadratic zero points (HQQ)", kChain);
const Scheme g128_zp_hqq_lanes = hqq("w4a16.g128_zp.hqq.lanes", "INT4 weights, groups of 128, half-quadratic zero points (HQQ); lanes", kLanes);
const Scheme g128_awq_chain = awq("w4a16.g128.awq.chain", "INT4 weights, groups of 128, scaled by activations (AWQ)", kChain, formats::kInt4);
const Scheme g128_awq_lanes = awq("w4a16.g128.awq.lanes", "INT4 weights, groups of 128, scaled by activations (AWQ); lanes", kLanes, formats::kInt4);
const Scheme g128_zp_awq_chain = awq("w4a16.g128_zp.awq.chain", "INT4 weights, groups of 128, scaled by activations (AWQ), with zero points", kChain, formats::kUint4);
const Scheme g128_zp_awq_lanes = awq("w4a16.g128_zp.awq.lanes", "INT4 weights, groups of 128, scaled by activations (AWQ), with zero points; lanes", kLanes, formats::kUint4);
const Scheme g128_gptq_chain = gptq("w4a16.g128.gptq.chain", "INT4 weights, groups of 128, errors passed on (GPTQ)", kChain, formats::kInt4);
const Scheme g128_gptq_lanes = gptq("w4a16.g128.gptq.lanes", "INT4 weights, groups of 128, errors passed on (GPTQ); lanes", kLanes, formats::kInt4);
const Scheme g128_zp_gptq_chain = gptq("w4a16.g128_zp.gptq.chain", "INT4 weights, groups of 128, errors passed on (GPTQ), with zero points", kChain, formats::kUint4);
const Scheme g128_zp_gptq_lanes = gptq("w4a16.g128_zp.gptq.lanes", "INT4 weights, groups of 128, errors passed on (GPTQ), with zero points; lanes", kLanes, formats::kUint4);
const Scheme g128_rtn_chain_f16out = parts::with_fp16_output(rounded("w4a16.g128.rtn.chain.f16out", "w4a16.g128.rtn.chain, stored as FP16", kChain, formats::kInt4, 128));
const Scheme g128_rtn_chain_bias = parts::with_bias(rounded("w4a16.g128.rtn.chain.bias", "w4a16.g128.rtn.chain, then a bias for each column", kChain, formats::kInt4, 128));

}  // namespace narrowgate::w4a16
