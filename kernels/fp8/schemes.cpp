// FP8 codes with FP32 scales. Scales that do not vary along k are applied at the end, those that do join blocks of the
// sum (decoded/decoded.h): g32 has one scale for each 32 along k of a row of A or a column of B; block128 one for 1×128
// of A and one for 128×128 of B, as DeepSeek-V3 has them (2024, §3.3).
#include "kernels/formats/all_formats.h"
#include "kernels/scheme_parts.h"

namespace narrowgate::fp8 {
namespace {

Scheme fp8(std::string_view id, std::string_view title, const formats::Format& element, Accumulation accumulation,
           Granularity a, Granularity b) {
  return {.id = id,
          .family = "fp8",
          .title = title,
          .accumulation = accumulation,
          .quantization = parts::both(parts::scaled_float(element, a), parts::scaled_float(element, b))};
}

constexpr Granularity kTensor = Granularity::tensor(), kColumn = Granularity::column(), kRow = Granularity::row();
constexpr Accumulation kChain = Accumulation::chain();

}  // namespace

extern const Scheme e4m3_tensor, e4m3_column, e4m3_token, e5m2_tensor, e4m3_g32, e4m3_block128;

const Scheme e4m3_tensor = fp8("fp8.e4m3.tensor.chain", "E4M3, one scale for all of A and one for all of B", formats::kE4m3, kChain, kTensor, kTensor);
const Scheme e4m3_column = fp8("fp8.e4m3.column.chain", "E4M3, one scale for all of A and one for each column of B", formats::kE4m3, kChain, kTensor, kColumn);
const Scheme e4m3_token = fp8("fp8.e4m3.token.chain", "E4M3, one scale for each row of A and each column of B", formats::kE4m3, kChain, kRow, kColumn);
const Scheme e5m2_tensor = fp8("fp8.e5m2.tensor.chain", "E5M2, one scale for all of A and one for all of B", formats::kE5m2, kChain, kTensor, kTensor);
const Scheme e4m3_g32 = fp8("fp8.e4m3.g32.blocks", "E4M3, one FP32 scale for each 32 along k, of A and of B", formats::kE4m3,
                            Accumulation::blocks(32), {1, 32}, {32, 1});
const Scheme e4m3_block128 = fp8("fp8.e4m3.block128.blocks", "E4M3, one FP32 scale for each 1×128 of A and each 128×128 of B",
                                 formats::kE4m3, Accumulation::blocks(128), {1, 128}, {128, 128});

}  // namespace narrowgate::fp8
