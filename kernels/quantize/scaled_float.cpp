#include "kernels/quantize/scaled_float.h"

#include <algorithm>
#include <limits>

namespace narrowgate::quantize {

ScaleRule fp32_scale_rule(const formats::Format& element) {
  return [maximum = formats::maximum(element)](std::span<float> maxima_to_scales) {
    for (float& value : maxima_to_scales) value = std::max(value / maximum, std::numeric_limits<float>::min());
  };
}

OrRefusal<QuantizedMatrix> scaled_float(View<const float> x, const formats::Format& element, Granularity granularity) {
  return quantize_blocks(x, {element, granularity, fp32_scale_rule(element)});
}

}  // namespace narrowgate::quantize
