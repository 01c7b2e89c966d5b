#include "kernels/quantize/nvfp4.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/formats/records/e2m1.h"
#include "kernels/formats/records/e4m3.h"
#include "kernels/formats/span_codec.h"

namespace narrowgate::quantize {

float nvfp4_tensor_scale(float amax) { return std::max(amax / 2688.0f, std::numeric_limits<float>::min()); }

ScaleRule nvfp4_scale_rule(float tensor_scale) {
  return [tensor_scale](std::span<float> maxima_to_scales) {
    std::array<std::uint8_t, 1024> codes;
    for (std::size_t first = 0; first < maxima_to_scales.size(); first += codes.size()) {
      const auto piece = maxima_to_scales.subspan(first, std::min(codes.size(), maxima_to_scales.size() - first));
      for (float& value : piece) value = value / 6.0f / tensor_scale;
      const auto piece_codes = std::span(codes).first(piece.size());
      formats::encode_span(formats::kE4m3, piece, piece_codes);
      formats::decode_span(formats::kE4m3, piece_codes, piece);
      for (float& value : piece) value = std::max(value, 0x1p-9f);
    }
  };
}

OrRefusal<QuantizedMatrix> nvfp4(View<const float> x, BlockAxis axis) {
  const float tensor_scale = nvfp4_tensor_scale(maximum_magnitude(x));
  auto result = quantize_blocks(
      x, {formats::kE2m1, along(axis, kNvfp4Block), nvfp4_scale_rule(tensor_scale), tensor_scale});
  if (result) result->scale_format = &formats::kE4m3;
  return result;
}

}  // namespace narrowgate::quantize
