// 2:4 pruned weights: larger magnitudes kept, ties keep the lower k, a tail of fewer than four counts as padded with
// zeros (quantize/prune24.h). Pruning comes before quantizing, so the answer is the dense scheme's on the pruned matrix;
// `compressed` schemes give the same answer from two values and two places for each four (sparse24/cpu_scalar.cpp).
#include "kernels/formats/all_formats.h"
#include "kernels/int8/int8.h"
#include "kernels/scheme_parts.h"

namespace narrowgate::sparse24 {
namespace {

Scheme sparse(std::string_view id, std::string_view title, Accumulation accumulation, parts::OperandQuantizer a,
              parts::OperandQuantizer b) {
  return {.id = id,
          .family = "sparse24",
          .title = title,
          .accumulation = accumulation,
          .quantization = parts::pruned24(std::move(a), std::move(b))};
}

Scheme compressed(Scheme scheme) {
  scheme.storage = Storage::kCompressed24;
  return scheme;
}

std::optional<std::string> refuses_int8_depth(Shape shape) { return int8::tensor_depth_refusal(shape); }

Scheme int8_limited(Scheme scheme) {
  scheme.refuses_shape = refuses_int8_depth;
  return scheme;
}

const Granularity kTensor = Granularity::tensor(), kColumn = Granularity::column();

}  // namespace

extern const Scheme prune_fp32, prune_w4a16, prune_fp8, compressed_fp32, compressed_int8;

const Scheme prune_fp32 = sparse("sparse24.prune.fp32.chain", "FP32, B pruned 2 of 4 along k", Accumulation::chain(), parts::fp32(), parts::fp32());
const Scheme prune_w4a16 = sparse("sparse24.prune.w4a16_g128.chain", "INT4 weights in groups of 128, pruned 2 of 4 before", Accumulation::chain(),
                                  parts::fp16(), parts::integers(formats::kInt4, {128, 1}, quantize::ScaleStorage::fp16));
const Scheme prune_fp8 = sparse("sparse24.prune.fp8_e4m3_column.chain", "E4M3 with one scale for each column of B, pruned 2 of 4 before",
                                Accumulation::chain(), parts::scaled_float(formats::kE4m3, kTensor), parts::scaled_float(formats::kE4m3, kColumn));
const Scheme compressed_fp32 = compressed(sparse("sparse24.compressed.fp32.chain", "FP32, B stored as two values and two places of each four",
                                                 Accumulation::chain(), parts::fp32(), parts::fp32()));
const Scheme compressed_int8 = int8_limited(compressed(
    sparse("sparse24.compressed.int8_column", "int8.column_24 with B stored as two codes and two places of each four",
           Accumulation::integer(), parts::int8(kTensor), parts::int8(kColumn))));

}  // namespace narrowgate::sparse24
