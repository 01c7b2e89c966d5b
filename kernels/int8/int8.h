// The int8 family: signed 8-bit codes, 32-bit integer accumulation, one scaled epilogue.
//
//   acc[i][j] = Σₖ a[i][k]·b[k][j]                              int32, exact, so in any order
//   C[i][j]   = float(acc − z[i]·Σₖ b[k][j]) · fl(sa[i]·sb[j])   int32 correction; float() and both products round once
//
//   int8.tensor      A and B symmetric, one scale each
//   int8.column      A one scale, B one scale per column
//   int8.column_zp   A asymmetric with one zero point (stored as q − 128, z − 128), B as in int8.column
//   int8.column_24   B pruned 2 of 4 along k, then int8.column
#pragma once

#include "kernels/host_device.h"
#include "kernels/kernel.h"

namespace narrowgate::int8 {

// A[m×k], B[k×n] codes; C[m×n]. A stride of 0 repeats one scale for every row or column.
struct Arguments {
  View<const std::int8_t> a;
  View<const std::int8_t> b;
  View<float> c;
  const float* a_scales;
  const float* b_scales;
  std::int64_t a_scale_stride;
  std::int64_t b_scale_stride;
  const std::int32_t* a_zero_points;  // with the stride of a_scales; nullptr for symmetric A
  const std::int32_t* b_column_sums;  // n sums of B's codes; nullptr for symmetric A

  NARROWGATE_HOST_DEVICE float a_scale(std::int64_t row) const { return a_scales[row * a_scale_stride]; }
  NARROWGATE_HOST_DEVICE float b_scale(std::int64_t col) const { return b_scales[col * b_scale_stride]; }
  NARROWGATE_HOST_DEVICE std::int32_t correction(std::int64_t row, std::int64_t col) const {
    return a_zero_points[row * a_scale_stride] * b_column_sums[col];
  }
};

Arguments place(const Operands& operands, View<float> c, Memory& memory);

// The epilogue, after any zero-point correction of `acc`.
NARROWGATE_HOST_DEVICE inline float scaled(std::int32_t acc, float a_scale, float b_scale) {
  return static_cast<float>(acc) * (a_scale * b_scale);
}

// Largest k at which no sum of k products can leave int32.
inline constexpr std::int64_t kMaxDepthSymmetric = 133'144;   // ±127·±127
inline constexpr std::int64_t kMaxDepthZeroPoint = 66'311;    // 0…255 · ±127 after the correction

}  // namespace narrowgate::int8
