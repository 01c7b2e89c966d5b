// The int8 arithmetic: signed 8-bit codes, 32-bit integer accumulation, one epilogue.
//
//   acc[i][j] = Σₖ a[i][k]·b[k][j]                           int32, exact, so in any order
//   C[i][j]   = epilogue(float(acc − z[i]·Σₖ b[k][j]))        int32 correction; float() rounds once, to nearest even
//   mixed:      + the FP32 chain over the outlier channels, in ascending k: one more rounded add
//
// Its schemes (schemes.cpp) differ in where the codes come from: one scale or many, zero points, pruning, smoothing.
// ternary.bitnet has the same arithmetic: its weights are −1, 0 and 1.
#pragma once

#include <cmath>

#include "kernels/epilogue.h"
#include "kernels/host_device.h"
#include "kernels/kernel.h"

namespace narrowgate::int8 {

// A[m×k], B[k×n] codes; C[m×n].
struct Arguments {
  View<const std::int8_t> a;
  View<const std::int8_t> b;
  View<float> c;
  Epilogue epilogue;
  const std::int32_t* a_zero_points;  // one, or one for each row; nullptr for symmetric A
  std::int64_t a_zero_point_stride;
  const std::int32_t* b_column_sums;  // n sums of B's codes; nullptr for symmetric A
  View<const float> outlier_a;        // m×o
  View<const float> outlier_b;        // o×n

  // What one column of C needs; kernels that finish many rows of a column read it once.
  struct Column {
    Epilogue::Column epilogue;
    std::int32_t code_sum;  // of B's codes
  };
  NARROWGATE_HOST_DEVICE Column column(std::int64_t col) const {
    return {epilogue.column(col), a_zero_points != nullptr ? b_column_sums[col] : 0};
  }
  NARROWGATE_HOST_DEVICE std::int32_t correction(std::int64_t row, Column of) const {
    return a_zero_points != nullptr ? a_zero_points[row * a_zero_point_stride] * of.code_sum : 0;
  }
  NARROWGATE_HOST_DEVICE std::int32_t correction(std::int64_t row, std::int64_t col) const {
    return correction(row, column(col));
  }
  NARROWGATE_HOST_DEVICE float finish(std::int32_t acc, std::int64_t row, std::int64_t col, Column of) const {
    const float product = epilogue.finish(static_cast<float>(acc - correction(row, of)), row, of.epilogue);
    return outlier_a.cols == 0 ? product : product + outlier_chain(row, col);
  }
  NARROWGATE_HOST_DEVICE float finish(std::int32_t acc, std::int64_t row, std::int64_t col) const {
    return finish(acc, row, col, column(col));
  }

  NARROWGATE_HOST_DEVICE float outlier_chain(std::int64_t row, std::int64_t col) const {
    float sum = 0.0f;
    NARROWGATE_ROLLED
    for (std::int64_t o = 0; o < outlier_a.cols; ++o) sum = fmaf(outlier_b(o, col), outlier_a(row, o), sum);
    return sum;
  }
};

Arguments place(const Operands& operands, View<float> c, Memory& memory);

// The pass that finishes the sums[m×n] of a library: C[i][j] = finish(sums[i][j], i, j).
template <Backend backend>
void finish_sums(View<const std::int32_t> sums, const Arguments& args, Stream stream);

inline bool computes_integers(const Scheme& scheme) {
  return scheme.accumulation.order == Accumulation::Order::kInteger;
}

// Why a symmetric scheme has no answer at this depth.
std::optional<std::string> tensor_depth_refusal(Shape shape);

// Largest k at which no sum of k products can leave int32.
inline constexpr std::int64_t kMaxDepthSymmetric = 133'144;  // ±127·±127
inline constexpr std::int64_t kMaxDepthZeroPoint = 66'311;   // 0…255 · ±127 after the correction

}  // namespace narrowgate::int8
