// The fp32 family: no quantization, the baseline that the others are compared with. Arithmetic: decoded/decoded.h.
#include "kernels/scheme_parts.h"

namespace narrowgate::fp32 {
namespace {

Scheme fp32(std::string_view id, std::string_view title, Accumulation accumulation) {
  return {.id = id,
          .family = "fp32",
          .title = title,
          .accumulation = accumulation,
          .quantization = parts::both(parts::fp32(), parts::fp32()),
          .day98_gate = Day98Gate::kMeasuredOnly};
}

}  // namespace

extern const Scheme chain, lanes, chain_f16out, chain_bias;

const Scheme chain = fp32("fp32.chain", "FP32, one fused multiply-add chain over ascending k", Accumulation::chain());
const Scheme lanes = fp32("fp32.lanes", "FP32, 32 chains as the lanes of a warp, then a tree", Accumulation::lanes(lane_vector(32)));
const Scheme chain_f16out = parts::with_fp16_output(fp32("fp32.chain.f16out", "FP32 chain, stored as FP16", Accumulation::chain()));
const Scheme chain_bias = parts::with_bias(fp32("fp32.chain.bias", "FP32 chain, then a bias for each column", Accumulation::chain()));

}  // namespace narrowgate::fp32
