#include "kernels/weight_only/weight_only.h"

namespace narrowgate::w1a16 {
namespace {

constexpr Accumulation kChain = Accumulation::chain();
constexpr Accumulation kLanes = Accumulation::lanes(lane_vector(1));

using weight_only::rounded;

}  // namespace

extern const Scheme g128_rtn_chain, g128_rtn_lanes, g64_rtn_chain, g64_rtn_lanes;
extern const Scheme g32_rtn_chain, g32_rtn_lanes;

const Scheme g128_rtn_chain = rounded("w1a16.g128.rtn.chain", "Binary weights, an FP16 scale for each 128 along k", kChain, formats::kBinary, 128);
const Scheme g128_rtn_lanes = rounded("w1a16.g128.rtn.lanes", "Binary weights, an FP16 scale for each 128 along k; lanes", kLanes, formats::kBinary, 128);
const Scheme g64_rtn_chain = rounded("w1a16.g64.rtn.chain", "Binary weights, an FP16 scale for each 64 along k", kChain, formats::kBinary, 64);
const Scheme g64_rtn_lanes = rounded("w1a16.g64.rtn.lanes", "Binary weights, an FP16 scale for each 64 along k; lanes", kLanes, formats::kBinary, 64);
const Scheme g32_rtn_chain = rounded("w1a16.g32.rtn.chain", "Binary weights, an FP16 scale for each 32 along k", kChain, formats::kBinary, 32);
const Scheme g32_rtn_lanes = rounded("w1a16.g32.rtn.lanes", "Binary weights, an FP16 scale for each 32 along k; lanes", kLanes, formats::kBinary, 32);

}  // namespace narrowgate::w1a16
