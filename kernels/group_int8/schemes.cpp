// Small integer weights in groups of 128 with FP32 scales, INT8 activations with one scale for each row.
#include "kernels/formats/all_formats.h"
#include "kernels/group_int8/group_int8.h"
#include "kernels/scheme_parts.h"

namespace narrowgate {
namespace {

constexpr std::int64_t kGroup = 128;

Scheme grouped(std::string_view id, std::string_view family, std::string_view title, const formats::Format& element) {
  return {.id = id,
          .family = family,
          .title = title,
          .accumulation = Accumulation::integer_blocks(kGroup),
          .quantization = parts::both(parts::int8(Granularity::row()),
                                      parts::integers(element, {kGroup, 1}, quantize::ScaleStorage::fp32))};
}

}  // namespace

namespace w4a8 {
extern const Scheme g128;
const Scheme g128 = grouped("w4a8.g128", "w4a8", "INT4 weights in groups of 128, INT8 activations for each row", formats::kInt4);
}  // namespace w4a8

namespace w2a8 {
extern const Scheme g128;
const Scheme g128 = grouped("w2a8.g128", "w2a8", "INT2 weights in groups of 128, INT8 activations for each row", formats::kInt2);
}  // namespace w2a8

}  // namespace narrowgate
