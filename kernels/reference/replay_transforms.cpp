// What is done to matrices before they are quantized: pruning, rotation, channel factors.
#include <algorithm>
#include <span>

#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

// fl(1/√n) for a power of two n = 2ᵖ: the root of a half, if p is odd, times a power of two.
float inverse_root(std::int64_t n) {
  const int p = std::ilogb(static_cast<double>(n));
  return p % 2 == 0 ? std::ldexp(1.0f, -p / 2) : std::ldexp(0x1.6a09e6p-1f, -(p - 1) / 2);
}

// Element i after the butterfly of stride `half`: the sum of its pair, or for the upper of the two the difference.
float after_butterfly(const std::vector<float>& x, std::size_t i, std::size_t half) {
  return (i / half) % 2 == 0 ? x[i] + x[i + half] : x[i - half] - x[i];
}

std::vector<float> rotated(std::vector<float> x) {
  std::vector<float> next(x.size());
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) next[i] = after_butterfly(x, i, half);
    std::swap(x, next);
  }
  for (float& value : x) value *= inverse_root(static_cast<std::int64_t>(x.size()));
  return x;
}

float largest_magnitude(View<const float> x) {
  float maximum = 0.0f;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) maximum = std::fmax(maximum, std::fabs(x(row, col)));
  }
  return maximum;
}

// The nearest power of two within 2⁻¹²⁷ … 2¹²⁷; of two as near the one whose E8M0 code, j + 127, is even.
float nearest_power_of_two(double x) {
  const int exponent = std::ilogb(x);
  const double middle = std::ldexp(1.5, exponent);
  const bool goes_up = x > middle || (x == middle && exponent % 2 == 0);
  return std::ldexp(1.0f, std::clamp(exponent + (goes_up ? 1 : 0), -127, 127));
}

}  // namespace

Matrix<float> replay_prune24(View<const float> b) {
  Matrix<float> kept(b.rows, b.cols);
  for (std::int64_t col = 0; col < b.cols; ++col) {
    for (std::int64_t first = 0; first < b.rows; first += 4) {
      std::vector<std::int64_t> rows;
      for (std::int64_t row = first; row < std::min(first + 4, b.rows); ++row) rows.push_back(row);
      // A stable sort leaves the lower k first among equal magnitudes.
      std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t left, std::int64_t right) {
        return std::fabs(b(left, col)) > std::fabs(b(right, col));
      });
      const std::span<const std::int64_t> largest = std::span(rows).first(std::min<std::size_t>(rows.size(), 2));
      for (const std::int64_t row : largest) kept(row, col) = b(row, col);
    }
  }
  return kept;
}

Matrix<float> replay_hadamard_rotated(View<const float> x, quantize::BlockAxis axis, std::int64_t n,
                                      const RandomStream& signs) {
  const bool k_is_rows = axis == quantize::BlockAxis::rows;
  const std::int64_t length = k_is_rows ? x.rows : x.cols;
  const std::int64_t whole = length / n * n;
  std::vector<float> sign;
  for (std::int64_t k = 0; k < length; ++k) {
    const bool is_negative = (philox_word(signs, static_cast<std::uint64_t>(k)) & 0x80000000u) != 0;
    sign.push_back(is_negative && k < whole ? -1.0f : 1.0f);
  }
  Matrix<float> y(x.rows, x.cols);
  parallel_for(k_is_rows ? x.cols : x.rows, [&](std::int64_t line) {
    const auto element = [&](std::int64_t k) { return k_is_rows ? x(k, line) : x(line, k); };
    for (std::int64_t first = 0; first < length; first += n) {
      std::vector<float> block;
      for (std::int64_t k = first; k < std::min(first + n, length); ++k) {
        block.push_back(element(k) * sign[static_cast<std::size_t>(k)]);
      }
      if (first < whole) block = rotated(std::move(block));
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::int64_t k = first + static_cast<std::int64_t>(i);
        (k_is_rows ? y(k, line) : y(line, k)) = block[i];
      }
    }
  });
  return y;
}

float replay_rounded_factor(double exact, quantize::FactorRounding rounding) {
  return rounding == quantize::FactorRounding::fp32 ? static_cast<float>(exact) : nearest_power_of_two(exact);
}

std::vector<float> replay_smooth_factors(View<const float> x, View<const float> w, quantize::FactorRounding rounding) {
  std::vector<float> factors;
  for (std::int64_t j = 0; j < w.rows; ++j) {
    const float of_x = largest_magnitude({x.data + j, x.rows, 1, x.ld});
    const float of_w = largest_magnitude({w.row(j), 1, w.cols, w.ld});
    const double ratio = of_x == 0 || of_w == 0 ? 1.0 : static_cast<double>(of_x) / static_cast<double>(of_w);
    factors.push_back(replay_rounded_factor(std::sqrt(ratio), rounding));
  }
  return factors;
}

Matrix<float> replay_divided_columns(View<const float> x, std::span<const float> factors) {
  Matrix<float> result(x.rows, x.cols);
  parallel_for(x.rows, [&](std::int64_t row) {
    for (std::int64_t j = 0; j < x.cols; ++j) result(row, j) = x(row, j) / factors[static_cast<std::size_t>(j)];
  });
  return result;
}

Matrix<float> replay_multiplied_rows(View<const float> w, std::span<const float> factors) {
  Matrix<float> result(w.rows, w.cols);
  parallel_for(w.rows, [&](std::int64_t j) {
    for (std::int64_t col = 0; col < w.cols; ++col) result(j, col) = w(j, col) * factors[static_cast<std::size_t>(j)];
  });
  return result;
}

}  // namespace narrowgate::reference
