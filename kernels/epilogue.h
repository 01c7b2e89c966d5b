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

  NARROWGATE_HOST_DEVICE float scale(std::int64_t row, std::int64_t col) const {
    return a_scales[row * a_stride] * b_scales[col * b_stride];
  }
  NARROWGATE_HOST_DEVICE float operator()(float sum, std::int64_t row, std::int64_t col) const {
    float c = a_scales != nullptr ? sum * scale(row, col) : sum;
    if (bias != nullptr) c = c + bias[col];
    return output == OutputFormat::kFp16 ? formats::rounded_to_fp16(c) : c;
  }
};

Epilogue place_epilogue(const Operands& operands, Memory& memory);

}  // namespace narrowgate
