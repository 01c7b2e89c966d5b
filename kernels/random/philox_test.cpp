// Philox4x32-10 against the known answers published with Random123 (kat_vectors), and the word order.
#include "kernels/random/philox.h"

#include <gtest/gtest.h>

namespace narrowgate {
namespace {

TEST(Philox, KnownAnswerOfAllZeros) {
  const auto words = philox_block({.seed = 0, .tensor = 0, .distribution = 0}, 0);
  EXPECT_EQ(words, (std::array<std::uint32_t, 4>{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
}

TEST(Philox, KnownAnswerOfAllOnes) {
  const auto words = philox_block({.seed = ~0ull, .tensor = ~0u, .distribution = ~0u}, ~0ull);
  EXPECT_EQ(words, (std::array<std::uint32_t, 4>{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
}

TEST(Philox, ElementsTakeTheWordsOfABlockInOrder) {
  const RandomStream stream{.seed = 7, .tensor = 1, .distribution = 2};
  const auto block = philox_block(stream, 5);
  for (std::uint64_t word = 0; word < 4; ++word) EXPECT_EQ(philox_word(stream, 20 + word), block[word]);
}

TEST(Philox, UniformIsTheTop24Bits) {
  EXPECT_EQ(uniform_from_word(0), 0.0f);
  EXPECT_EQ(uniform_from_word(0xffu), 0.0f);
  EXPECT_EQ(uniform_from_word(0x80000000u), 0.5f);
  EXPECT_EQ(uniform_from_word(0xffffffffu), 1.0f - 0x1p-24f);
}

}  // namespace
}  // namespace narrowgate
