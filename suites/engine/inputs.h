// The input distributions. An element depends on (seed, tensor, distribution, row, column, columns) alone: neither on
// threads nor on the order in which elements are made, and padding never shifts it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/matrix.h"

namespace narrowgate {

// Ids are part of every random counter: they never change and are never reused.
enum class Distribution : std::uint32_t {
  kDay98 = 1,     // A uniform [0,1); B = (2u − 1)·2^−(col mod 7), times 8 where the flat index is a multiple of 37
  kNormal = 2,    // variance 1: Irwin–Hall of 24, in integers, scaled by one FP32 product
  kIntegers = 3,  // whole numbers −127…127
  kConstant = 4,  // 0.3 everywhere
  kOneHot = 5,    // A[i][i mod k] = 1 and else 0; B = 2u − 1: C repeats rows of B
};

enum class Tensor : std::uint32_t { kA = 0, kB = 1, kCalibration = 2, kBias = 3 };

std::span<const Distribution> all_distributions();
std::string_view to_string(Distribution distribution);
std::optional<Distribution> find_distribution(std::string_view name);

// A[m×k] or B[k×n] of a case.
Matrix<float> make_input(Distribution distribution, Tensor tensor, std::uint64_t seed, std::int64_t rows,
                         std::int64_t cols);

}  // namespace narrowgate
