// δ of bounds.h: how far a decoded element can lie from the data it encodes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/parallel.h"
#include "kernels/reference/bounds.h"
#include "kernels/reference/operand_bounds.h"

namespace narrowgate::reference {
namespace {

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5;
}

double largest_value(const formats::Format& element) {
  return element.is_floating() ? double{formats::decode(element, element.maximum_code())}
                               : element.maximum * formats::power_of_two(-element.fraction_bits);
}

// Half the distance between neighbours of the format where |x|/X lies, times X.
double half_step(const formats::Format& element, double magnitude, double scale) {
  if (!element.is_floating()) return scale * formats::power_of_two(-element.fraction_bits - 1);
  const double ratio = magnitude / scale;
  const int exponent = ratio > 0 ? std::max(std::ilogb(ratio), element.minimum_exponent()) : element.minimum_exponent();
  return std::ldexp(scale, exponent - element.mantissa_bits - 1);
}

// h of an element of a format whose range may not reach x. Above all, FP32 scales that underflow in fl(s_b·s_T).
double element_step(const formats::Format& element, double magnitude, double scale) {
  const double largest = largest_value(element);
  const double step = half_step(element, std::min(magnitude, scale * largest), scale) + largest * kHalfSubnormal;
  return std::max(step, magnitude - scale * largest);
}

bool has_range_of_its_own(const QuantizedMatrix& quantized) {
  return quantized.element != nullptr && (quantized.element->is_floating() || quantized.element->fraction_bits != 0);
}

double integer_step(const QuantizedMatrix& quantized, std::int64_t row, std::int64_t col) {
  const double scale = quantized.scale_at(row, col);
  if (quantized.zero_points.empty()) return scale / 2.0;
  const int lowest = -quantized.code_offset;
  const int highest = lowest + (quantized.element == nullptr ? 255 : quantized.element->maximum);
  const int code = quantized.codes(row, col);
  return code == lowest || code == highest ? scale : scale / 2.0;
}

}  // namespace

double half_step(const formats::Format& format, double magnitude) { return half_step(format, magnitude, 1.0); }

double quantization_step(const QuantizedMatrix& quantized, double magnitude, std::int64_t row, std::int64_t col) {
  if (quantized.is_float()) {
    return quantized.element == nullptr ? 0.0 : element_step(*quantized.element, magnitude, 1.0);
  }
  if (!has_range_of_its_own(quantized)) return integer_step(quantized, row, col);
  return element_step(*quantized.element, magnitude, double{quantized.scale_at(row, col)} * quantized.tensor_scale);
}

Matrix<double> operand_error_bound(View<const float> encoded, const QuantizedMatrix& quantized) {
  Matrix<double> bound(encoded.rows, encoded.cols);
  if (quantized.is_float() && quantized.element == nullptr) return bound;
  // Integers keep the term for every scale: their baselines were derived so, and it is 2⁻²³ of the element at most.
  const bool may_be_exact = has_range_of_its_own(quantized);
  parallel_for(encoded.rows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < encoded.cols; ++col) {
      const double x = encoded(row, col);
      if (quantized.error_model == ErrorModel::kOwnCodes) {
        bound(row, col) = std::fabs(x - quantized.dequantized(row, col));
        continue;
      }
      const bool exact_scale = quantized.is_float() ||
          (may_be_exact && quantized.tensor_scale == 1.0f && is_power_of_two(quantized.scale_at(row, col)));
      const double quotient = exact_scale ? 0.0 : 2.0 * kUnitRoundoff * std::fabs(x);
      bound(row, col) = quantization_step(quantized, std::fabs(x), row, col) +
                        (may_be_exact ? quotient * (1.0 + 4.0 * kUnitRoundoff) : quotient);
    }
  });
  return bound;
}

}  // namespace narrowgate::reference
