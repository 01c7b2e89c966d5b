// Guard bands, poison and layouts: each kind of stray write must be seen, and nothing else.
#include "kernels/memory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace narrowgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(HostMemory, KeepsTheElementsUnderEveryLayout) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  for (const Layout layout : {Layout{}, Layout{7, 0}, Layout{0, 3}, Layout{5, 1}}) {
    const auto memory = make_host_memory(layout);
    const View<float> placed = memory->place("A", View<const float>{x.data(), 2, 3, 3});
    EXPECT_EQ(placed.ld, 3 + layout.ld_padding);
    EXPECT_EQ(placed(1, 2), 6.0f);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(placed.data) % 256, static_cast<std::size_t>(layout.offset) * 4);
    EXPECT_THAT(memory->damage(), IsEmpty());
  }
}

TEST(HostMemory, AnOutputStartsPoisonedAndReadsBack) {
  const auto memory = make_host_memory({2, 1});
  const View<float> c = memory->output(2, 2);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(memory->read_output()(1, 1)), Memory::kPoison);
  c(1, 1) = 5.0f;
  EXPECT_EQ(memory->read_output()(1, 1), 5.0f);
  memory->poison_output();
  EXPECT_EQ(std::bit_cast<std::uint32_t>(memory->read_output()(1, 1)), Memory::kPoison);
}

TEST(HostMemory, SeesAWriteBehindTheLastElement) {
  const auto memory = make_host_memory({});
  const View<float> c = memory->output(2, 2);
  c.data[4] = 0.0f;
  EXPECT_THAT(memory->damage(), ElementsAre(HasSubstr("wrote outside C: byte 16 of 16 (after its last element)")));
}

TEST(HostMemory, SeesAWriteBeforeTheFirstElement) {
  const auto memory = make_host_memory({0, 3});
  const View<float> c = memory->output(2, 2);
  c.data[-1] = 0.0f;
  EXPECT_THAT(memory->damage(), ElementsAre(HasSubstr("wrote outside C: byte -4 of 16 (before its first element)")));
}

TEST(HostMemory, SeesAWriteIntoThePaddingOfTheOutput) {
  const auto memory = make_host_memory({3, 0});
  const View<float> c = memory->output(2, 2);
  c.data[c.ld + 2] = 0.0f;
  EXPECT_THAT(memory->damage(), ElementsAre(HasSubstr("padding of C at row 1, column 2")));
}

TEST(HostMemory, ScratchIsDensePoisonedAndGuarded) {
  const auto memory = make_host_memory({3, 1});
  const View<float> partial = memory->scratch<float>("partial sums", 2, 3);
  EXPECT_EQ(partial.ld, 3);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(partial(1, 2)), Memory::kPoison);
  partial.data[6] = 0.0f;
  EXPECT_THAT(memory->damage(), ElementsAre(HasSubstr("wrote outside partial sums: byte 24 of 24")));
}

TEST(HostMemory, SeesADamagedOperand) {
  const auto memory = make_host_memory({});
  const std::vector<std::int8_t> codes = {1, 2, 3};
  std::int8_t* placed = memory->place<std::int8_t>("codes of A", std::span(codes));
  placed[3] = 0;
  EXPECT_THAT(memory->damage(), ElementsAre(HasSubstr("codes of A")));
}

}  // namespace
}  // namespace narrowgate
