// The input distributions. An element depends on (seed, tensor, distribution, row, column, columns) alone: neither on
// threads nor on the order in which elements are made, and padding never shifts it. All are finite.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/matrix.h"

namespace narrowgate {

// A and B of each; k is the column of A and the row of B. Ids are part of every random counter: they never change and
// are never reused.
enum class Distribution : std::uint32_t {
  kDay98 = 1,           // A uniform [0,1); B = (2u − 1)·2^−(col mod 7), times 8 where the flat index is 0, 37, 74, …
  kNormal = 2,          // variance 1: Irwin–Hall of 24, in integers, scaled by one FP32 product
  kIntegers = 3,        // whole numbers −127…127
  kConstant = 4,        // 0.3 everywhere
  kOneHot = 5,          // A[i][i mod k] = 1 and else 0; B = 2u − 1: C repeats rows of B
  kRelu = 6,            // A = max(normal, 0), half of it zero; B normal
  kOneSigned = 7,       // A uniform [1,2), B uniform (−2,−1]: nothing cancels, and ranges that leave out zero
  kHeavy = 8,           // (2u − 1)·2ʲ with P(j) = 2^−(j+1), j ≤ 12: below 2¹²
  kOutlierChannel = 9,  // normal, but one k of each 256 (of the rest, at the end) is 100 × as large in all rows of A
  kOutlierRow = 10,     // normal, but row 0 of A is 20 × as large
  kTies = 11,           // half-integers −126.5…126.5; ±127 at each 32nd k makes scales of 127 steps exactly 1
  kBelowPow2 = 12,      // ± the float just below 2ʲ, j = −4…3
  kMaxPairs = 13,       // ±127, signs alike at k and k + 1 for even k; row 0 of A and column 0 of B are all +127
  kCancel = 14,         // A: x, −x and B: y, y in turn from k = 1, so C is what k = 0, and an unpaired last k, leave
  kSubnormal = 15,      // A: 0, FP32 subnormals, 2^−126…2^−115, each 4th row no normals; B = 2u − 1, each 4th k like A
  kZeroRows = 16,       // normal, but rows 1, 5, 9, … of A and columns 2, 6, 10, … of B are zero
  kZeroBlocks = 17,     // normal with runs of 32 and of 128 zeros along k, staggered over rows of A and columns of B
  kMinusZero = 18,      // −0 in every other place, by chance; else whole numbers −3…3
};

// Like ids of distributions. Calibration activations, samples × k, are distributed like A; their outlier channels are
// A's. A bias, 1×n, is distributed like a row of B.
enum class Tensor : std::uint32_t { kA = 0, kB = 1, kCalibration = 2, kBias = 3 };

std::span<const Distribution> all_distributions();
std::string_view to_string(Distribution distribution);
std::optional<Distribution> find_distribution(std::string_view name);

// A[m×k], B[k×n], calibration activations or bias of a case.
Matrix<float> make_input(Distribution distribution, Tensor tensor, std::uint64_t seed, std::int64_t rows,
                         std::int64_t cols);

}  // namespace narrowgate
