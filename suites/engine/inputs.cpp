#include "suites/engine/inputs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/parallel.h"
#include "kernels/random/philox.h"

namespace narrowgate {
namespace {

constexpr std::array kAll = {Distribution::kDay98, Distribution::kNormal, Distribution::kIntegers,
                             Distribution::kConstant, Distribution::kOneHot};

struct Element {
  std::int64_t row, col, cols;
  std::uint64_t flat() const { return static_cast<std::uint64_t>(row * cols + col); }
};

float symmetric_uniform(std::uint32_t word) { return 2.0f * uniform_from_word(word) - 1.0f; }  // exact

float day98(const RandomStream& stream, Tensor tensor, Element at) {
  const std::uint32_t word = philox_word(stream, at.flat());
  if (tensor == Tensor::kA) return uniform_from_word(word);
  const float gain = 1.0f / static_cast<float>(1 << (at.col % 7));
  return symmetric_uniform(word) * gain * (at.flat() % 37 == 0 ? 8.0f : 1.0f);
}

// The sum of 24 16-bit integers has mean 24·65535/2 and variance 2·(2³² − 1): one product by 2^−16.5 makes it 1.
// Element i takes blocks 3i, 3i+1 and 3i+2 of its stream, low half of each word first.
float normal(const RandomStream& stream, Element at) {
  std::int32_t sum = -24 * 65535 / 2;
  for (std::uint64_t block = 0; block < 3; ++block) {
    for (const std::uint32_t word : philox_block(stream, 3 * at.flat() + block)) {
      sum += static_cast<std::int32_t>(word & 0xffffu) + static_cast<std::int32_t>(word >> 16);
    }
  }
  return static_cast<float>(sum) * 0x1.6a09e6p-17f;  // fl(2^−16.5)
}

float value_at(Distribution distribution, const RandomStream& stream, Tensor tensor, Element at) {
  switch (distribution) {
    case Distribution::kDay98: return day98(stream, tensor, at);
    case Distribution::kNormal: return normal(stream, at);
    case Distribution::kIntegers: return static_cast<float>(philox_word(stream, at.flat()) % 255) - 127.0f;
    case Distribution::kConstant: return 0.3f;
    case Distribution::kOneHot:
      if (tensor == Tensor::kA) return at.col == at.row % at.cols ? 1.0f : 0.0f;
      return symmetric_uniform(philox_word(stream, at.flat()));
  }
  return 0.0f;
}

}  // namespace

std::span<const Distribution> all_distributions() { return kAll; }

std::string_view to_string(Distribution distribution) {
  switch (distribution) {
    case Distribution::kDay98: return "day98";
    case Distribution::kNormal: return "normal";
    case Distribution::kIntegers: return "integers";
    case Distribution::kConstant: return "constant";
    case Distribution::kOneHot: return "one_hot";
  }
  return "unknown";
}

std::optional<Distribution> find_distribution(std::string_view name) {
  const auto found = std::find_if(kAll.begin(), kAll.end(), [&](Distribution d) { return to_string(d) == name; });
  if (found == kAll.end()) return std::nullopt;
  return *found;
}

Matrix<float> make_input(Distribution distribution, Tensor tensor, std::uint64_t seed, std::int64_t rows,
                         std::int64_t cols) {
  const RandomStream stream{.seed = seed,
                            .tensor = static_cast<std::uint32_t>(tensor),
                            .distribution = static_cast<std::uint32_t>(distribution)};
  Matrix<float> x(rows, cols);
  parallel_for(rows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      x(row, col) = value_at(distribution, stream, tensor, {row, col, cols});
    }
  });
  return x;
}

}  // namespace narrowgate
