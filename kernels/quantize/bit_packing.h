// Bit packing as data: a layout says where each bit of each code goes, and one pair of functions obeys it.
//
// Codes are packed in groups. A group is a string of bits, stored in containers from the lowest bit up, containers
// little-endian. Slot i of the string takes bits i·b … i·b + b − 1, and `slot_order[i]` names the code in it. Where
// `low_bits` is set, codes are split: first all low parts in slots of that width, then all high parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"

namespace narrowgate::quantize {

struct PackingLayout {
  std::string_view name;
  int code_bits;
  int container_bits;  // 8 or 32: only the size that a group is a multiple of, since containers are little-endian
  int group;           // codes in a group
  int low_bits = 0;    // 0: codes are whole
  std::array<std::uint8_t, 32> slot_order{};  // the first `group` entries; see in_order()

  constexpr int group_bytes() const { return group * code_bits / 8; }
};

constexpr std::array<std::uint8_t, 32> in_order() {
  std::array<std::uint8_t, 32> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
  return order;
}

// Even codes in the low half of a 32-bit word, odd codes in the high half: masking a word with a field repeated in
// both halves leaves two neighbours, each in the low bits of a half; or-ing 0x6400 makes of each the FP16 number
// 1024 + code.
constexpr std::array<std::uint8_t, 32> evens_then_odds(int group) {
  std::array<std::uint8_t, 32> order{};
  for (int i = 0; i < group; ++i) {
    order[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i < group / 2 ? 2 * i : 2 * (i - group / 2) + 1);
  }
  return order;
}

constexpr std::array<std::uint8_t, 32> reversed(int group) {
  std::array<std::uint8_t, 32> order{};
  for (int i = 0; i < group; ++i) order[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(group - 1 - i);
  return order;
}

inline constexpr PackingLayout kPackingLayouts[] = {
    {"bytes", 8, 8, 1, 0, in_order()},
    {"nibbles.low_first", 4, 8, 2, 0, in_order()},
    {"nibbles.high_first", 4, 8, 2, 0, reversed(2)},
    {"nibbles.words", 4, 32, 8, 0, in_order()},
    {"nibbles.halves", 4, 32, 8, 0, evens_then_odds(8)},
    {"pairs.bytes", 2, 8, 4, 0, in_order()},
    {"pairs.words", 2, 32, 16, 0, in_order()},
    {"pairs.halves", 2, 32, 16, 0, evens_then_odds(16)},
    {"bits.bytes", 1, 8, 8, 0, in_order()},
    {"bits.words", 1, 32, 32, 0, in_order()},
    {"bits.halves", 1, 32, 32, 0, evens_then_odds(32)},
    {"three.bytes", 3, 8, 8, 0, in_order()},
    {"three.words", 3, 32, 32, 0, in_order()},
    {"three.planes", 3, 32, 32, 2, in_order()},  // two low bits, then the high bit
    {"six.bytes", 6, 8, 4, 0, in_order()},
    {"six.words", 6, 32, 16, 0, in_order()},
    {"six.planes", 6, 32, 16, 4, in_order()},  // four low bits, then two high bits
};

const PackingLayout* find_packing_layout(std::string_view name);

// Codes along one line. Bits of a code above the layout's are dropped; a last group is filled with code 0.
std::vector<std::uint8_t> pack(std::span<const std::uint8_t> codes, const PackingLayout& layout);
std::vector<std::uint8_t> unpack(std::span<const std::uint8_t> packed, std::int64_t count, const PackingLayout& layout);

// A matrix packed along its rows (`cols` of codes side by side) or down its columns; each line starts a new group.
enum class PackingAxis { along_row, down_column };

struct PackedMatrix {
  const PackingLayout* layout = nullptr;
  PackingAxis axis = PackingAxis::along_row;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t line_bytes = 0;
  std::vector<std::uint8_t> bytes;
};

PackedMatrix pack_matrix(View<const std::uint8_t> codes, const PackingLayout& layout, PackingAxis axis);
Matrix<std::uint8_t> unpack_matrix(const PackedMatrix& packed);

}  // namespace narrowgate::quantize
