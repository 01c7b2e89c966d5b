// 2:4 compressed storage along k: of each four rows of a column two values and their two-bit places.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "kernels/matrix.h"

namespace narrowgate::quantize {

// Of B[k×n]: row 2g + i of `values` is the i-th kept element of rows 4g … 4g+3, `places` where in the four it was,
// ascending. k is padded to a multiple of four.
template <class T>
struct Compressed24 {
  std::int64_t rows = 0;  // k
  Matrix<T> values;
  Matrix<std::uint8_t> places;
};

template <class T>
bool is_plain_zero(const T& value) {
  const T zero{};
  return std::memcmp(&value, &zero, sizeof(T)) == 0;
}

// Places of two of four elements that hold all that are not zero bits (−0 counts as a value), lower places first;
// nothing when more than two do.
template <class T>
std::optional<std::array<std::uint8_t, 2>> kept_places(View<const T> b, std::int64_t first, std::int64_t col) {
  std::array<bool, 4> kept{};
  int count = 0;
  for (std::int64_t i = 0; i < 4; ++i) {
    kept[static_cast<std::size_t>(i)] = first + i < b.rows && !is_plain_zero(b(first + i, col));
    count += kept[static_cast<std::size_t>(i)];
  }
  if (count > 2) return std::nullopt;
  for (std::size_t i = 0; i < 4 && count < 2; ++i) {
    count += !kept[i];
    kept[i] = true;
  }
  std::array<std::uint8_t, 2> places{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (kept[i]) places[next++] = static_cast<std::uint8_t>(i);
  }
  return places;
}

// Nothing when B is not 2:4: some four consecutive rows of a column hold more than two values.
template <class T>
std::optional<Compressed24<T>> compress24(View<const T> b) {
  const std::int64_t groups = (b.rows + 3) / 4;
  Compressed24<T> result{b.rows, Matrix<T>(2 * groups, b.cols), Matrix<std::uint8_t>(2 * groups, b.cols)};
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t col = 0; col < b.cols; ++col) {
      const auto places = kept_places(b, 4 * group, col);
      if (!places) return std::nullopt;
      for (std::int64_t i = 0; i < 2; ++i) {
        const std::uint8_t place = (*places)[static_cast<std::size_t>(i)];
        result.places(2 * group + i, col) = place;
        if (4 * group + place < b.rows) result.values(2 * group + i, col) = b(4 * group + place, col);
      }
    }
  }
  return result;
}

template <class T>
Matrix<T> decompress24(const Compressed24<T>& compressed) {
  Matrix<T> b(compressed.rows, compressed.values.cols());
  for (std::int64_t i = 0; i < compressed.values.rows(); ++i) {
    for (std::int64_t col = 0; col < b.cols(); ++col) {
      const std::int64_t row = i / 2 * 4 + compressed.places(i, col);
      if (row < b.rows()) b(row, col) = compressed.values(i, col);
    }
  }
  return b;
}

}  // namespace narrowgate::quantize
