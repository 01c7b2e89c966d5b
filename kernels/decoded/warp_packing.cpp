#include "kernels/decoded/warp_packing.h"

#include <bit>
#include <span>
#include <stdexcept>
#include <vector>

namespace narrowgate::decoded {
namespace {

// What is added to a stored code so that the smallest is 0: symmetric codes of b bits reach −2^(b−1).
struct CodeOffset {
  std::int32_t offset = 0;
  std::int32_t step = 1;  // distance of neighbouring codes: binary weights are −1 and 1
};

CodeOffset code_offset(const QuantizedMatrix& b, int bits) {
  if (bits == 1) return {1, 2};
  const bool is_symmetric = b.zero_points.empty() && b.fractional_zero_points.empty();
  return {is_symmetric ? 1 << (bits - 1) : 0, 1};
}

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

std::uint16_t fp16_bits(float value) {
  const auto half = static_cast<_Float16>(value);
  if (static_cast<float>(half) != value) throw std::logic_error("packing weights: a scale is no FP16 value");
  return std::bit_cast<std::uint16_t>(half);
}

// Scales or zero points of B[k×n], by group of k and column, as [columns / 4][groups][4]; zeros beyond them.
template <class T>
std::vector<std::uint16_t> by_four_channels(const std::vector<T>& values, std::int64_t groups, std::int64_t columns) {
  std::vector<std::uint16_t> packed(static_cast<std::size_t>(rounded_up(columns, kPackedChannels) * groups));
  const std::int64_t given = static_cast<std::int64_t>(values.size()) / columns;
  for (std::int64_t group = 0; group < given; ++group) {
    for (std::int64_t col = 0; col < columns; ++col) {
      const std::int64_t at = (col / kPackedChannels * groups + group) * kPackedChannels + col % kPackedChannels;
      packed[static_cast<std::size_t>(at)] = fp16_bits(static_cast<float>(values[static_cast<std::size_t>(group * columns + col)]));
    }
  }
  return packed;
}

// The field of `bits` bits that element (k, col) fills.
std::uint32_t field_of(const QuantizedMatrix& b, std::int64_t k, std::int64_t col, CodeOffset by) {
  if (b.is_float()) return std::bit_cast<std::uint32_t>(b.values(k, col));
  return static_cast<std::uint32_t>((b.codes(k, col) + by.offset) / by.step);
}

}  // namespace

PackedWeights place_packed_weights(const QuantizedMatrix& b, Accumulation accumulation, Memory& memory) {
  const std::int64_t vector = accumulation.length, depth = b.rows(), columns = b.cols();
  const int bits = static_cast<int>(128 / vector);
  const CodeOffset by = b.is_float() ? CodeOffset{} : code_offset(b, bits);
  PackedWeights packed{};
  packed.chunks = static_cast<int>(rounded_up(depth, kLaneCount * vector) / (kLaneCount * vector));
  packed.common_zero_point = static_cast<float>(by.offset);

  std::vector<SixteenBytes> pieces(static_cast<std::size_t>(rounded_up(columns, kPackedChannels) * packed.chunks * kLaneCount));
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t col = 0; col < columns; ++col) {
      const std::int64_t chunk = k / (kLaneCount * vector), lane = k / vector % kLaneCount;
      const std::int64_t at = ((col / kPackedChannels * packed.chunks + chunk) * kPackedChannels + col % kPackedChannels) * kLaneCount + lane;
      const auto bit = static_cast<std::uint32_t>(k % vector * bits);
      pieces[static_cast<std::size_t>(at)].words[bit / 32] |= field_of(b, k, col, by) << (bit % 32);
    }
  }
  packed.pieces = memory.place("packed weights", std::span<const SixteenBytes>(pieces));
  if (b.is_float() || b.granularity.rows == 0) return packed;

  packed.log2_group = std::countr_zero(static_cast<std::uint64_t>(b.granularity.rows));
  packed.groups = packed.chunks * static_cast<int>(kLaneCount * vector / b.granularity.rows);
  const auto place = [&](const char* name, const std::vector<std::uint16_t>& values) {
    return memory.place(name, std::span<const std::uint16_t>(values));
  };
  packed.scales = place("packed scales", by_four_channels(b.scales, packed.groups, columns));
  if (!b.zero_points.empty()) packed.zero_points = place("packed zero points", by_four_channels(b.zero_points, packed.groups, columns));
  if (!b.fractional_zero_points.empty()) {
    packed.zero_points = place("packed zero points", by_four_channels(b.fractional_zero_points, packed.groups, columns));
  }
  return packed;
}

}  // namespace narrowgate::decoded
