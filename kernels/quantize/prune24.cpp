#include "kernels/quantize/prune24.h"

#include <cmath>

namespace narrowgate::quantize {
namespace {

// How many of the other rows of the group beat row `candidate`: it stays when fewer than two do.
int beaten_by(View<const float> b, std::int64_t first, std::int64_t rows, std::int64_t candidate, std::int64_t col) {
  const float magnitude = std::fabs(b(first + candidate, col));
  int count = 0;
  for (std::int64_t other = 0; other < rows; ++other) {
    const float rival = std::fabs(b(first + other, col));
    count += other < candidate ? rival >= magnitude : (other > candidate && rival > magnitude);
  }
  return count;
}

}  // namespace

Matrix<float> prune24(View<const float> b) {
  Matrix<float> kept(b.rows, b.cols);
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < b.rows; first += 4) {
    const std::int64_t rows = b.rows - first < 4 ? b.rows - first : 4;
    for (std::int64_t candidate = 0; candidate < rows; ++candidate) {
      for (std::int64_t col = 0; col < b.cols; ++col) {
        kept(first + candidate, col) =
            beaten_by(b, first, rows, candidate, col) < 2 ? b(first + candidate, col) : 0.0f;
      }
    }
  }
  return kept;
}

}  // namespace narrowgate::quantize
