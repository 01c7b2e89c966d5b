#include "kernels/reference/replay_parts.h"

#include <algorithm>

namespace narrowgate::reference {

const formats::Format* format_of(quantize::ScaleStorage storage) {
  return storage == quantize::ScaleStorage::fp16 ? &formats::kFp16 : nullptr;
}

QuantizedMatrix blank(View<const float> x, Granularity granularity, const formats::Format* element,
                      const formats::Format* scale_format) {
  QuantizedMatrix result;
  result.codes = Matrix<std::int8_t>(x.rows, x.cols);
  result.granularity = granularity;
  result.element = element;
  result.scale_format = scale_format;
  return result;
}

std::vector<Extent> extents(View<const float> x, Granularity granularity) {
  std::vector<Extent> result(static_cast<std::size_t>(granularity.block_rows(x.rows) * granularity.block_cols(x.cols)));
  for_each_element(x, granularity, [&](float value, std::size_t block) {
    if (value < result[block].low) result[block].low = value;
    if (value > result[block].high) result[block].high = value;
  });
  return result;
}

std::vector<float> gathered(View<const float> x, Granularity granularity, std::int64_t block_row,
                            std::int64_t block_col) {
  const std::int64_t height = granularity.rows == 0 ? x.rows : granularity.rows;
  const std::int64_t width = granularity.cols == 0 ? x.cols : granularity.cols;
  std::vector<float> elements;
  for (std::int64_t row = block_row * height; row < std::min((block_row + 1) * height, x.rows); ++row) {
    for (std::int64_t col = block_col * width; col < std::min((block_col + 1) * width, x.cols); ++col) {
      elements.push_back(x(row, col));
    }
  }
  return elements;
}

}  // namespace narrowgate::reference
