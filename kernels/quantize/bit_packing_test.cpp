// Packing layouts: literals for each kind, then the identity for all, at every length.
#include "kernels/quantize/bit_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/scalar.h"
#include "kernels/random/philox.h"

namespace narrowgate::quantize {
namespace {

using testing::ElementsAre;

std::vector<std::uint8_t> packed(std::string_view layout, const std::vector<std::uint8_t>& codes) {
  return pack(codes, *find_packing_layout(layout));
}

TEST(Pack, Nibbles) {
  EXPECT_THAT(packed("nibbles.low_first", {0x1, 0x2, 0x3}), ElementsAre(0x21, 0x03));
  EXPECT_THAT(packed("nibbles.high_first", {0x1, 0x2, 0x3}), ElementsAre(0x12, 0x30));
  EXPECT_THAT(packed("nibbles.words", {1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(0x21, 0x43, 0x65, 0x87));
  EXPECT_THAT(packed("nibbles.halves", {0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre(0x20, 0x64, 0x31, 0x75));
}

TEST(Pack, NarrowerCodes) {
  EXPECT_THAT(packed("pairs.bytes", {3, 2, 1, 0}), ElementsAre(0b00011011));
  EXPECT_THAT(packed("bits.bytes", {1, 0, 0, 0, 0, 0, 0, 1, 1}), ElementsAre(0x81, 0x01));
}

TEST(Pack, ThreeAndSixBitsAsOneString) {
  // 0b001, 0b010, 0b011 from the lowest bit: 011 010 001 → 0xD1 with one bit over.
  EXPECT_THAT(packed("three.bytes", {1, 2, 3}), ElementsAre(0xD1, 0x00, 0x00));
  // Four codes of six bits are 24: 0x3F at the bottom, 0x21 at the top.
  EXPECT_THAT(packed("six.bytes", {0x3F, 0x00, 0x00, 0x21}), ElementsAre(0x3F, 0x00, 0x84));
}

TEST(Pack, PlanesSplitCodes) {
  std::vector<std::uint8_t> codes(16, 0);
  codes[0] = 0x2B;  // 10 1011
  codes[1] = 0x14;  // 01 0100
  const std::vector<std::uint8_t> bytes = packed("six.planes", codes);
  ASSERT_EQ(bytes.size(), 12u);
  EXPECT_EQ(bytes[0], 0x4B);  // low nibbles
  EXPECT_EQ(bytes[8], 0b0110);  // high pairs
}

// What the order is for: two neighbouring codes as FP16 numbers 1024 + code from one word, one mask and one or.
TEST(Pack, NibblesInHalvesBecomeFp16ByMaskAndOr) {
  std::uint32_t word = 0;
  std::memcpy(&word, packed("nibbles.halves", {9, 3, 15, 0, 1, 2, 4, 8}).data(), 4);
  const std::uint8_t codes[] = {9, 3, 15, 0, 1, 2, 4, 8};
  for (int pair = 0; pair < 4; ++pair) {
    const std::uint32_t halves = (word >> 4 * pair & 0x000F000F) | 0x64006400;
    EXPECT_EQ(formats::decode(formats::kFp16, halves & 0xFFFF), 1024.0f + codes[2 * pair]);
    EXPECT_EQ(formats::decode(formats::kFp16, halves >> 16), 1024.0f + codes[2 * pair + 1]);
  }
}

TEST(Unpack, IsTheInverseOfEveryLayoutAtEveryLength) {
  for (const PackingLayout& layout : kPackingLayouts) {
    for (std::size_t length = 0; length <= 70; ++length) {
      std::vector<std::uint8_t> codes(length);
      for (std::size_t i = 0; i < length; ++i) {
        codes[i] = static_cast<std::uint8_t>(philox_word({.seed = length}, i) & ((1u << layout.code_bits) - 1));
      }
      const auto bytes = pack(codes, layout);
      ASSERT_EQ(bytes.size() % static_cast<std::size_t>(layout.container_bits / 8), 0u) << layout.name;
      ASSERT_EQ(unpack(bytes, static_cast<std::int64_t>(length), layout), codes) << layout.name << ' ' << length;
    }
  }
}

TEST(Unpack, OfMatricesAlongBothAxes) {
  Matrix<std::uint8_t> codes(7, 13);
  for (std::int64_t i = 0; i < codes.size(); ++i) codes.data()[i] = static_cast<std::uint8_t>(i);
  for (const PackingLayout& layout : kPackingLayouts) {
    for (const PackingAxis axis : {PackingAxis::along_row, PackingAxis::down_column}) {
      const Matrix<std::uint8_t> back = unpack_matrix(pack_matrix(codes.view(), layout, axis));
      const std::uint8_t mask = static_cast<std::uint8_t>((1u << layout.code_bits) - 1);
      for (std::int64_t i = 0; i < codes.size(); ++i) ASSERT_EQ(back.data()[i], codes.data()[i] & mask) << layout.name;
    }
  }
}

TEST(Layouts, AreConsistent) {
  std::set<std::string_view> names;
  for (const PackingLayout& layout : kPackingLayouts) {
    EXPECT_TRUE(names.insert(layout.name).second) << layout.name;
    EXPECT_EQ(layout.group * layout.code_bits % layout.container_bits, 0) << layout.name;
    std::set<int> slots(layout.slot_order.begin(), layout.slot_order.begin() + layout.group);
    EXPECT_EQ(slots.size(), static_cast<std::size_t>(layout.group)) << layout.name;
  }
  EXPECT_EQ(find_packing_layout("no such"), nullptr);
}

}  // namespace
}  // namespace narrowgate::quantize
