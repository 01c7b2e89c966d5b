// Floating codes: FP16 itself, FP8 with FP32 scales, NVFP4.
#include <algorithm>

#include "kernels/formats/records/e2m1.h"
#include "kernels/formats/records/e4m3.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

using formats::Format;

// The code of x in a floating format, saturating.
std::uint32_t code_of(const Format& element, float x) { return *formats::encode(element, x); }

}  // namespace

Matrix<float> replay_fp16(View<const float> x) {
  Matrix<float> rounded(x.rows, x.cols);
  parallel_for(x.rows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < x.cols; ++col) rounded(row, col) = nearest_fp16(x(row, col));
  });
  return rounded;
}

QuantizedMatrix replay_scaled_float(View<const float> x, const Format& element, Granularity granularity) {
  QuantizedMatrix q = blank(x, granularity, &element, nullptr);
  const float maximum = formats::decode(element, element.maximum_code());
  for (const Extent& extent : extents(x, granularity)) {
    q.scales.push_back(at_least(extent.magnitude() / maximum, kSmallestNormal));
  }
  write_codes(x, q, [&](float value, std::size_t block) { return code_of(element, value / q.scales[block]); });
  return q;
}

QuantizedMatrix replay_nvfp4(View<const float> x, quantize::BlockAxis axis) {
  constexpr std::int64_t kBlock = 16;
  const Granularity granularity = axis == quantize::BlockAxis::rows ? Granularity{kBlock, 1} : Granularity{1, kBlock};
  QuantizedMatrix q = blank(x, granularity, &formats::kE2m1, &formats::kE4m3);
  const std::vector<Extent> blocks = extents(x, granularity);
  float maximum = 0.0f;
  for (const Extent& block : blocks) maximum = std::fmax(maximum, block.magnitude());
  q.tensor_scale = at_least(maximum / 2688.0f, kSmallestNormal);
  for (const Extent& block : blocks) {
    const float wanted = block.magnitude() / 6.0f / q.tensor_scale;
    q.scales.push_back(at_least(formats::decode(formats::kE4m3, code_of(formats::kE4m3, wanted)), 0x1p-9f));
  }
  write_codes(x, q, [&](float value, std::size_t block) {
    return code_of(formats::kE2m1, value / (q.scales[block] * q.tensor_scale));
  });
  return q;
}

}  // namespace narrowgate::reference
