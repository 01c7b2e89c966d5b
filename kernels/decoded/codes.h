// One operand as kernels read it: codes with what turns them into the values that are multiplied.
#pragma once

#include <string_view>

#include "kernels/host_device.h"
#include "kernels/memory/memory.h"
#include "kernels/quantize/operands.h"

namespace narrowgate::decoded {

// value = (table[code] − zero point) · scale, both of the element's block; or the operand itself where it stays a float.
struct Codes {
  View<const float> values;  // data is nullptr where there are codes
  View<const std::int8_t> codes;
  const float* table;        // of the 256 stored codes
  const float* scales;       // by block; nullptr where scales do not belong to the values
  const float* zero_points;  // by block, with scales; nullptr where there are none
  std::int64_t block_rows, block_cols;  // 0: all of the axis
  std::int64_t blocks_across;

  NARROWGATE_HOST_DEVICE std::int64_t rows() const { return values.data != nullptr ? values.rows : codes.rows; }
  NARROWGATE_HOST_DEVICE std::int64_t cols() const { return values.data != nullptr ? values.cols : codes.cols; }
  NARROWGATE_HOST_DEVICE std::int64_t block(std::int64_t row, std::int64_t col) const {
    return (block_rows == 0 ? 0 : row / block_rows) * blocks_across + (block_cols == 0 ? 0 : col / block_cols);
  }
  NARROWGATE_HOST_DEVICE float operator()(std::int64_t row, std::int64_t col) const {
    if (values.data != nullptr) return values(row, col);
    const float value = table[static_cast<std::uint8_t>(codes(row, col))];
    if (scales == nullptr) return value;
    const std::int64_t at = block(row, col);
    return (zero_points == nullptr ? value : value - zero_points[at]) * scales[at];
  }
};

Codes place_codes(std::string_view name, const QuantizedMatrix& matrix, BlockAxis k_axis, Accumulation accumulation,
                  Memory& memory);

}  // namespace narrowgate::decoded
