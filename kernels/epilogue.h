// What is done to the finished sum of an element of C, in this order, each step rounded once:
//
//   c = sum · fl(sa[i]·sb[j])      where scales do not vary along k
//   c = c + bias[j]                schemes with .bias
//   c = fp16(c)                    schemes with .f16out, to nearest even
#pragma once

#include <cstdint>

#include "kernels/accumulation.h"
#include "kernels/formats/fp16_rounding.h"
#include "kernels/host_device.h"
#include "kernels/memory/memory.h"
#include "kernels/quantize/operands.h"

namespace narrowgate {

struct Epilogue {
  const float* a_scales = nullptr;  // with b_scales; both nullptr where every scale is one or lies within the sum
  const float* b_scales = nullptr;
  std::int64_t a_stride = 0;  // 0 repeats one scale for every row or column
  std::int64_t b_stride = 0;
  const float* bias = nullptr;  // n values
  OutputFormat output = OutputFormat::kFp32;

  // What one column of C needs; kernels that finish many rows of a column read it once.
  struct Column {
    float b_scale, bias;
  };
  NARROWGATE_HOST_DEVICE Column column(std::int64_t col) const {
    return {b_scales != nullptr ? b_scales[col * b_stride] : 1.0f, bias != nullptr ? bias[col] : 0.0f};
  }
  NARROWGATE_HOST_DEVICE float scale(std::int64_t row, Column of) const { return a_scales[row * a_stride] * of.b_scale; }
  NARROWGATE_HOST_DEVICE float scale(std::int64_t row, std::int64_t col) const { return scale(row, column(col)); }
  NARROWGATE_HOST_DEVICE float finish(float sum, std::int64_t row, Column of) const {
    float c = a_scales != nullptr ? sum * scale(row, of) : sum;
    if (bias != nullptr) c = c + of.bias;
    return output == OutputFormat::kFp16 ? formats::rounded_to_fp16(c) : c;
  }
  NARROWGATE_HOST_DEVICE float operator()(float sum, std::int64_t row, std::int64_t col) const {
    return finish(sum, row, column(col));
  }
};

Epilogue place_epilogue(const Operands& operands, Memory& memory);

}  // namespace narrowgate
