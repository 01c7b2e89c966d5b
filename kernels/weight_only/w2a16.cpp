#include "kernels/weight_only/weight_only.h"

namespace narrowgate::w2a16 {
namespace {

constexpr Accumulation kChain = Accumulation::chain();
constexpr Accumulation kLanes = Accumulation::lanes(lane_vector(2));

using weight_only::rounded;

}  // namespace

extern const Scheme g128_rtn_chain, g128_rtn_lanes, g128_zp_rtn_chain, g128_zp_rtn_lanes;
extern const Scheme g64_rtn_chain, g64_rtn_lanes, g64_zp_rtn_chain, g64_zp_rtn_lanes;
extern const Scheme g32_rtn_chain, g32_rtn_lanes, g32_zp_rtn_chain, g32_zp_rtn_lanes;

const Scheme g128_rtn_chain = rounded("w2a16.g128.rtn.chain", "INT2 weights, an FP16 scale for each 128 along k", kChain, formats::kInt2, 128);
const Scheme g128_rtn_lanes = rounded("w2a16.g128.rtn.lanes", "INT2 weights, an FP16 scale for each 128 along k; lanes", kLanes, formats::kInt2, 128);
const Scheme g128_zp_rtn_chain = rounded("w2a16.g128_zp.rtn.chain", "INT2 weights, an FP16 scale and a zero point for each 128 along k", kChain, formats::kUint2, 128);
const Scheme g128_zp_rtn_lanes = rounded("w2a16.g128_zp.rtn.lanes", "INT2 weights, an FP16 scale and a zero point for each 128 along k; lanes", kLanes, formats::kUint2, 128);
const Scheme g64_rtn_chain = rounded("w2a16.g64.rtn.chain", "INT2 weights, an FP16 scale for each 64 along k", kChain, formats::kInt2, 64);
const Scheme g64_rtn_lanes = rounded("w2a16.g64.rtn.lanes", "INT2 weights, an FP16 scale for each 64 along k; lanes", kLanes, formats::kInt2, 64);
const Scheme g64_zp_rtn_chain = rounded("w2a16.g64_zp.rtn.chain", "INT2 weights, an FP16 scale and a zero point for each 64 along k", kChain, formats::kUint2, 64);
const Scheme g64_zp_rtn_lanes = rounded("w2a16.g64_zp.rtn.lanes", "INT2 weights, an FP16 scale and a zero point for each 64 along k; lanes", kLanes, formats::kUint2, 64);
const Scheme g32_rtn_chain = rounded("w2a16.g32.rtn.chain", "INT2 weights, an FP16 scale for each 32 along k", kChain, formats::kInt2, 32);
const Scheme g32_rtn_lanes = rounded("w2a16.g32.rtn.lanes", "INT2 weights, an FP16 scale for each 32 along k; lanes", kLanes, formats::kInt2, 32);
const Scheme g32_zp_rtn_chain = rounded("w2a16.g32_zp.rtn.chain", "INT2 weights, an FP16 scale and a zero point for each 32 along k", kChain, formats::kUint2, 32);
const Scheme g32_zp_rtn_lanes = rounded("w2a16.g32_zp.rtn.lanes", "INT2 weights, an FP16 scale and a zero point for each 32 along k; lanes", kLanes, formats::kUint2, 32);

}  // namespace narrowgate::w2a16
