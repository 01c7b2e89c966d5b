#include <fmt/format.h>

#include <bit>
#include <span>
#include <string_view>

#include "kernels/reference/quantize_oracle.h"

namespace narrowgate::reference {
namespace {

bool same_bits(float left, float right) {
  return std::bit_cast<std::uint32_t>(left) == std::bit_cast<std::uint32_t>(right);
}

std::string_view name_of(const formats::Format* format, std::string_view name_of_none) {
  return format == nullptr ? name_of_none : format->name;
}

std::string described(Granularity granularity) { return fmt::format("{}×{}", granularity.rows, granularity.cols); }

// What says how the numbers are to be read.
std::string difference_of_kind(const QuantizedMatrix& actual, const QuantizedMatrix& expected) {
  if (actual.is_float() != expected.is_float()) {
    return actual.is_float() ? "values instead of codes" : "codes instead of values";
  }
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) {
    return fmt::format("{}×{} elements instead of {}×{}", actual.rows(), actual.cols(), expected.rows(),
                       expected.cols());
  }
  const std::string_view element = name_of(actual.element, "plain integers");
  const std::string_view expected_element = name_of(expected.element, "plain integers");
  if (element != expected_element) return fmt::format("the elements are {} instead of {}", element, expected_element);
  const std::string_view storage = name_of(actual.scale_format, "fp32");
  const std::string_view expected_storage = name_of(expected.scale_format, "fp32");
  if (storage != expected_storage) return fmt::format("scales are stored as {} instead of {}", storage, expected_storage);
  if (actual.granularity != expected.granularity) {
    return fmt::format("blocks are {} instead of {}", described(actual.granularity), described(expected.granularity));
  }
  if (actual.code_offset != expected.code_offset) {
    return fmt::format("the offset of codes is {} instead of {}", actual.code_offset, expected.code_offset);
  }
  return {};
}

std::string difference_of_floats(std::string_view name, std::span<const float> actual,
                                 std::span<const float> expected) {
  if (actual.size() != expected.size()) {
    return fmt::format("{} {}s instead of {}", actual.size(), name, expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (same_bits(actual[i], expected[i])) continue;
    return fmt::format("{} {} is {:a} instead of {:a}", name, i, actual[i], expected[i]);
  }
  return {};
}

std::string difference_of_zero_points(const QuantizedMatrix& actual, const QuantizedMatrix& expected) {
  if (actual.zero_points.size() != expected.zero_points.size()) {
    return fmt::format("{} zero points instead of {}", actual.zero_points.size(), expected.zero_points.size());
  }
  for (std::size_t i = 0; i < expected.zero_points.size(); ++i) {
    if (actual.zero_points[i] != expected.zero_points[i]) {
      return fmt::format("zero point {} is {} instead of {}", i, actual.zero_points[i] + actual.code_offset,
                         expected.zero_points[i] + expected.code_offset);
    }
  }
  return difference_of_floats("fractional zero point", actual.fractional_zero_points, expected.fractional_zero_points);
}

std::string difference_of_scales(const QuantizedMatrix& actual, const QuantizedMatrix& expected) {
  if (!same_bits(actual.tensor_scale, expected.tensor_scale)) {
    return fmt::format("the tensor scale is {:a} instead of {:a}", actual.tensor_scale, expected.tensor_scale);
  }
  return difference_of_floats("scale", actual.scales, expected.scales);
}

std::string difference_of_elements(const QuantizedMatrix& actual, const QuantizedMatrix& expected) {
  for (std::int64_t row = 0; row < expected.rows(); ++row) {
    for (std::int64_t col = 0; col < expected.cols(); ++col) {
      if (expected.is_float()) {
        if (same_bits(actual.values(row, col), expected.values(row, col))) continue;
        return fmt::format("the value at row {}, column {} is {:a} instead of {:a}", row, col, actual.values(row, col),
                           expected.values(row, col));
      }
      if (actual.codes(row, col) == expected.codes(row, col)) continue;
      return fmt::format("the code at row {}, column {} is {} instead of {}", row, col,
                         actual.codes(row, col) + actual.code_offset, expected.codes(row, col) + expected.code_offset);
    }
  }
  return {};
}

}  // namespace

std::string first_difference(const QuantizedMatrix& actual, const QuantizedMatrix& expected) {
  for (const auto compare :
       {difference_of_kind, difference_of_scales, difference_of_zero_points, difference_of_elements}) {
    if (std::string difference = compare(actual, expected); !difference.empty()) return difference;
  }
  return {};
}

}  // namespace narrowgate::reference
