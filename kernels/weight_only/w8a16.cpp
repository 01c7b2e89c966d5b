#include "kernels/weight_only/weight_only.h"

namespace narrowgate::w8a16 {
namespace {

Scheme by_row(std::string_view id, std::string_view title, Accumulation accumulation) {
  return weight_only::scheme(id, title, accumulation,
                             parts::integers(formats::kInt8, Granularity::column(), quantize::ScaleStorage::fp16));
}

}  // namespace

extern const Scheme row_chain, row_lanes;

const Scheme row_chain = by_row("w8a16.row.chain", "INT8 weights, one FP16 scale for each output; FP16 activations", Accumulation::chain());
const Scheme row_lanes = by_row("w8a16.row.lanes", "w8a16.row summed as the lanes of a warp", Accumulation::lanes(lane_vector(8)));

}  // namespace narrowgate::w8a16
