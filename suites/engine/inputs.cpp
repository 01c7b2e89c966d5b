#include "suites/engine/inputs.h"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/formats/scalar.h"
#include "kernels/parallel.h"
#include "kernels/random/philox.h"

namespace narrowgate {
namespace {

struct Element {
  std::int64_t row, col, cols;
  std::uint64_t flat() const { return static_cast<std::uint64_t>(row * cols + col); }
};

// Most distributions take word i for element i; those that need two words of one element take words 2i and 2i + 1.
std::uint32_t word_of(const RandomStream& stream, Element at) { return philox_word(stream, at.flat()); }

std::array<std::uint32_t, 2> two_words_of(const RandomStream& stream, Element at) {
  const auto block = philox_block(stream, at.flat() / 2);
  const std::size_t first = 2 * (at.flat() % 2);
  return {block[first], block[first + 1]};
}

// A second stream beside that of the elements, for what is not one draw an element. Tensor ids stay below 2³¹.
RandomStream second_stream(RandomStream stream, Tensor tensor) {
  stream.tensor = static_cast<std::uint32_t>(tensor) | 0x8000'0000u;
  return stream;
}

float symmetric_uniform(std::uint32_t word) { return 2.0f * uniform_from_word(word) - 1.0f; }  // exact
float uniform_from_one_to_two(std::uint32_t word) { return 1.0f + static_cast<float>(word >> 9) * 0x1p-23f; }  // exact
float with_sign(float magnitude, std::uint32_t word) { return word & 1 ? -magnitude : magnitude; }

float symmetric(const RandomStream& stream, Element at) { return symmetric_uniform(word_of(stream, at)); }

float day98_a(const RandomStream& stream, Element at) { return uniform_from_word(word_of(stream, at)); }

float day98_b(const RandomStream& stream, Element at) {
  const float gain = 1.0f / static_cast<float>(1 << (at.col % 7));
  return symmetric(stream, at) * gain * (at.flat() % 37 == 0 ? 8.0f : 1.0f);
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

float integers(const RandomStream& stream, Element at) {
  return static_cast<float>(word_of(stream, at) % 255) - 127.0f;
}

float constant(const RandomStream&, Element) { return 0.3f; }

float one_hot_a(const RandomStream&, Element at) { return at.col == at.row % at.cols ? 1.0f : 0.0f; }

float relu_a(const RandomStream& stream, Element at) { return std::max(0.0f, normal(stream, at)); }

float one_signed_a(const RandomStream& stream, Element at) { return uniform_from_one_to_two(word_of(stream, at)); }
float one_signed_b(const RandomStream& stream, Element at) { return -one_signed_a(stream, at); }

// The zeros that end a random word are j with probability 2^−(j+1).
float heavy(const RandomStream& stream, Element at) {
  const auto [uniform, tail] = two_words_of(stream, at);
  return symmetric_uniform(uniform) * static_cast<float>(1 << std::min(std::countr_zero(tail), 12));
}

bool is_outlier_channel(const RandomStream& stream, Element at) {
  constexpr std::int64_t kChannels = 256;
  const std::int64_t group = at.col / kChannels;
  const std::int64_t channels = std::min(kChannels, at.cols - group * kChannels);
  // A's places, for whichever tensor: calibration has to see the channels that it is to prepare for.
  const std::uint32_t word = philox_word(second_stream(stream, Tensor::kA), static_cast<std::uint64_t>(group));
  return at.col - group * kChannels == word % channels;
}

float outlier_channel_a(const RandomStream& stream, Element at) {
  return normal(stream, at) * (is_outlier_channel(stream, at) ? 100.0f : 1.0f);
}

float outlier_row_a(const RandomStream& stream, Element at) {
  return normal(stream, at) * (at.row == 0 ? 20.0f : 1.0f);
}

float ties_along(std::int64_t k, std::uint32_t word) {
  if (k % 32 == 0) return with_sign(127.0f, word);
  return static_cast<float>(word % 254) - 126.5f;
}
float ties_a(const RandomStream& stream, Element at) { return ties_along(at.col, word_of(stream, at)); }
float ties_b(const RandomStream& stream, Element at) { return ties_along(at.row, word_of(stream, at)); }

float below_pow2(const RandomStream& stream, Element at) {
  const std::uint32_t word = word_of(stream, at);
  const int exponent = static_cast<int>(word >> 1 & 7) - 4;
  return with_sign(0x1.fffffep-1f * static_cast<float>(formats::power_of_two(exponent)), word);
}

// Both of a pair take the word of its first.
float max_pairs_a(const RandomStream& stream, Element at) {
  if (at.row == 0) return 127.0f;
  return with_sign(127.0f, word_of(stream, {at.row, at.col - at.col % 2, at.cols}));
}
float max_pairs_b(const RandomStream& stream, Element at) {
  if (at.col == 0) return 127.0f;
  return with_sign(127.0f, word_of(stream, {at.row - at.row % 2, at.col, at.cols}));
}

// What is left in the end is of magnitude 1/16…1/8 before the product with B: small beside what cancels, and still two
// steps of INT8.
float cancel_a(const RandomStream& stream, Element at) {
  const bool is_second = at.col % 2 == 0;
  if (at.col == 0 || (!is_second && at.col + 1 == at.cols)) {
    const std::uint32_t word = word_of(second_stream(stream, Tensor{stream.tensor}), at);
    return with_sign(uniform_from_one_to_two(word) * 0x1p-4f, word);
  }
  return is_second ? -normal(stream, {at.row, at.col - 1, at.cols}) : normal(stream, at);
}
float cancel_b(const RandomStream& stream, Element at) {
  const bool is_second = at.row > 0 && at.row % 2 == 0;
  return normal(stream, {at.row - (is_second ? 1 : 0), at.col, at.cols});
}

// Made of bits: 23 of mantissa, then an exponent; a subnormal's mantissa is shifted by 0…15 to reach small ones.
enum class Normals { kNone, kSome, kLargest };
float tiny(const std::array<std::uint32_t, 2>& words, Normals normals) {
  const std::uint32_t sign = words[0] << 31, mantissa = words[0] >> 9, kind = words[1] % 4, size = words[1] >> 2;
  constexpr std::uint32_t kExponents = 11;  // 2^−126…2^−116
  if (normals == Normals::kLargest) return std::bit_cast<float>(sign | kExponents << 23 | mantissa);
  if (normals == Normals::kSome && kind >= 2) {
    return std::bit_cast<float>(sign | (1 + size % kExponents) << 23 | mantissa);
  }
  return kind % 2 == 0 ? 0.0f : std::bit_cast<float>(sign | mantissa >> size % 16);
}
// The largest ones at k = 0 keep most rows away from the floor of scales.
float subnormal_a(const RandomStream& stream, Element at) {
  const Normals here = at.col == 0 ? Normals::kLargest : Normals::kSome;
  return tiny(two_words_of(stream, at), at.row % 4 == 3 ? Normals::kNone : here);
}
// Were all of B tiny, every product would be zero, and nothing judged.
float subnormal_b(const RandomStream& stream, Element at) {
  const auto words = two_words_of(stream, at);
  return at.row % 4 == 3 ? tiny(words, Normals::kSome) : symmetric_uniform(words[0]);
}

float zero_rows_a(const RandomStream& stream, Element at) { return at.row % 4 == 1 ? 0.0f : normal(stream, at); }
float zero_rows_b(const RandomStream& stream, Element at) { return at.col % 4 == 2 ? 0.0f : normal(stream, at); }

// `line` is a row of A or a column of B.
bool is_in_zero_run(std::int64_t line, std::int64_t k) { return (line + k / 32) % 4 == 1 || (line + k / 128) % 4 == 2; }
float zero_blocks_a(const RandomStream& stream, Element at) {
  return is_in_zero_run(at.row, at.col) ? 0.0f : normal(stream, at);
}
float zero_blocks_b(const RandomStream& stream, Element at) {
  return is_in_zero_run(at.col, at.row) ? 0.0f : normal(stream, at);
}

float minus_zero(const RandomStream& stream, Element at) {
  const std::uint32_t word = word_of(stream, at);
  return word & 1 ? -0.0f : static_cast<float>((word >> 1) % 7) - 3.0f;
}

using Value = float (*)(const RandomStream&, Element);

struct Definition {
  std::string_view name;
  Distribution id;
  Value a;  // and calibration activations
  Value b;  // and bias
};

constexpr std::array kDefinitions = {
    Definition{"day98", Distribution::kDay98, day98_a, day98_b},
    Definition{"normal", Distribution::kNormal, normal, normal},
    Definition{"integers", Distribution::kIntegers, integers, integers},
    Definition{"constant", Distribution::kConstant, constant, constant},
    Definition{"one_hot", Distribution::kOneHot, one_hot_a, symmetric},
    Definition{"relu", Distribution::kRelu, relu_a, normal},
    Definition{"one_signed", Distribution::kOneSigned, one_signed_a, one_signed_b},
    Definition{"heavy", Distribution::kHeavy, heavy, heavy},
    Definition{"outlier_channel", Distribution::kOutlierChannel, outlier_channel_a, normal},
    Definition{"outlier_row", Distribution::kOutlierRow, outlier_row_a, normal},
    Definition{"ties", Distribution::kTies, ties_a, ties_b},
    Definition{"below_pow2", Distribution::kBelowPow2, below_pow2, below_pow2},
    Definition{"max_pairs", Distribution::kMaxPairs, max_pairs_a, max_pairs_b},
    Definition{"cancel", Distribution::kCancel, cancel_a, cancel_b},
    Definition{"subnormal", Distribution::kSubnormal, subnormal_a, subnormal_b},
    Definition{"zero_rows", Distribution::kZeroRows, zero_rows_a, zero_rows_b},
    Definition{"zero_blocks", Distribution::kZeroBlocks, zero_blocks_a, zero_blocks_b},
    Definition{"minus_zero", Distribution::kMinusZero, minus_zero, minus_zero},
};

constexpr auto kAll = [] {
  std::array<Distribution, kDefinitions.size()> all{};
  std::transform(kDefinitions.begin(), kDefinitions.end(), all.begin(), [](const Definition& d) { return d.id; });
  return all;
}();

const Definition& definition_of(Distribution distribution) {
  return *std::find_if(kDefinitions.begin(), kDefinitions.end(),
                       [&](const Definition& definition) { return definition.id == distribution; });
}

}  // namespace

std::span<const Distribution> all_distributions() { return kAll; }

std::string_view to_string(Distribution distribution) { return definition_of(distribution).name; }

std::optional<Distribution> find_distribution(std::string_view name) {
  const auto found = std::find_if(kDefinitions.begin(), kDefinitions.end(),
                                  [&](const Definition& definition) { return definition.name == name; });
  if (found == kDefinitions.end()) return std::nullopt;
  return found->id;
}

Matrix<float> make_input(Distribution distribution, Tensor tensor, std::uint64_t seed, std::int64_t rows,
                         std::int64_t cols) {
  const RandomStream stream{.seed = seed,
                            .tensor = static_cast<std::uint32_t>(tensor),
                            .distribution = static_cast<std::uint32_t>(distribution)};
  const bool is_activation = tensor == Tensor::kA || tensor == Tensor::kCalibration;
  const Definition& definition = definition_of(distribution);
  const Value value = is_activation ? definition.a : definition.b;
  Matrix<float> x(rows, cols);
  parallel_for(rows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < cols; ++col) x(row, col) = value(stream, {row, col, cols});
  });
  return x;
}

}  // namespace narrowgate
