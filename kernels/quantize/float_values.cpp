#include "kernels/quantize/float_values.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/fp16_rounding.h"
#include "kernels/quantize/integer.h"

namespace narrowgate::quantize {
namespace {

template <class Convert>
QuantizedMatrix converted(View<const float> x, const Convert& convert) {
  QuantizedMatrix result;
  result.values = Matrix<float>(x.rows, x.cols);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) result.values(row, col) = convert(x(row, col));
  }
  result.scales = {1.0f};
  return result;
}

}  // namespace

OrRefusal<QuantizedMatrix> fp32_values(View<const float> x) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  return converted(x, [](float value) { return value; });
}

OrRefusal<QuantizedMatrix> fp16_values(View<const float> x) {
  if (auto finite = refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  constexpr float kLargest = 65504.0f;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      if (std::fabs(x(row, col)) <= kLargest) continue;
      return tl::unexpected(Refusal{fmt::format("the element at row {}, column {} is {:g}, beyond FP16's {:g}", row, col,
                                                x(row, col), kLargest)});
    }
  }
  QuantizedMatrix result = converted(x, formats::rounded_to_fp16);
  result.element = &formats::kFp16;
  return result;
}

}  // namespace narrowgate::quantize
