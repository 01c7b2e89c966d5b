// Packed words by hand, and the sizes and verdicts that follow from nothing but literals.
#include "suites/check/foreign_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suites/check/check.h"

namespace narrowgate::check {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kInOrder[] = {0, 1, 2, 3, 4, 5, 6, 7};

Matrix<std::uint32_t> word(std::uint32_t bits) {
  Matrix<std::uint32_t> words(1, 1);
  words(0, 0) = bits;
  return words;
}

TEST(UnpackWords, DownAColumnFromTheLowestBits) {
  const Matrix<std::uint32_t> words = word(0x76543210u);
  const Matrix<std::uint8_t> codes = unpack_words(words.view(), WordAxis::kDown, kInOrder);
  EXPECT_EQ(codes.rows(), 8);
  EXPECT_EQ(codes.cols(), 1);
  EXPECT_THAT(codes.flat(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

// AWQ's word of the columns 0 … 7 holds, from the lowest bits, columns 0 2 4 6 1 3 5 7.
TEST(UnpackWords, AcrossInAwqsOrder) {
  const Matrix<std::uint32_t> words = word(0x75316420u);
  EXPECT_THAT(unpack_words(words.view(), WordAxis::kAcross, kAwqOrder).flat(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(TensorName, SplitsAfterTheExtension) {
  EXPECT_EQ(parse_tensor_name("w.npz:b").file, "w.npz");
  EXPECT_EQ(parse_tensor_name("w.npz:b").tensor, "b");
  EXPECT_EQ(parse_tensor_name("a:b/w.safetensors:x:y").file, "a:b/w.safetensors");
  EXPECT_EQ(parse_tensor_name("a:b/w.safetensors:x:y").tensor, "x:y");
  EXPECT_EQ(parse_tensor_name("w.npy").tensor, "");
}

TEST(OutputRounding, IsHalfAnUlpOfCsFormat) {
  EXPECT_EQ(output_rounding(io::ElementType::f32, OutputFormat::kFp32, 1.0), 0.0);
  EXPECT_EQ(output_rounding(io::ElementType::f16, OutputFormat::kFp32, 1.0), 0x1p-11);
  EXPECT_EQ(output_rounding(io::ElementType::bf16, OutputFormat::kFp32, 3.0), 0x1p-7);
  EXPECT_EQ(output_rounding(io::ElementType::f16, OutputFormat::kFp32, 0.0), 0x1p-25);
  // The scheme's own bound counts the rounding already.
  EXPECT_EQ(output_rounding(io::ElementType::f16, OutputFormat::kFp16, 1.0), 0.0);
  EXPECT_EQ(output_rounding(io::ElementType::bf16, OutputFormat::kFp16, 1.0), 0x1p-8);
}

TEST(Dead, NeedsZerosWhereTheAnswerHasNone) {
  EXPECT_THAT(dead({4, 4, 3}, {4, 2, 4}, 4), ElementsAre(0));
  EXPECT_THAT(dead({1}, {1}, 1), ElementsAre());
}

GateResult gate(GateResult::Gate which, GateResult::State state, bool decides) {
  return {.gate = which, .state = state, .decides = decides};
}

TEST(Verdict, NeedsAGateThatJudgesNumbers) {
  using Gate = GateResult::Gate;
  using State = GateResult::State;
  const GateResult guards = gate(Gate::guards, State::pass, true), differs = gate(Gate::implementation, State::fail, false);
  const GateResult same = gate(Gate::implementation, State::pass, false), vacuous = gate(Gate::error, State::not_measured, true);
  EXPECT_EQ(verdict_of({guards, differs, gate(Gate::error, State::pass, true)}), Verdict::kPass);
  EXPECT_EQ(verdict_of({guards, differs, gate(Gate::error, State::fail, true)}), Verdict::kFail);
  EXPECT_EQ(verdict_of({guards, differs, vacuous}), Verdict::kNone);
  EXPECT_EQ(verdict_of({guards, same, vacuous}), Verdict::kPass);
  EXPECT_EQ(verdict_of({guards}), Verdict::kNone);
  EXPECT_EQ(verdict_of({guards, gate(Gate::implementation, State::fail, true), gate(Gate::error, State::pass, true)}), Verdict::kFail);
}

}  // namespace
}  // namespace narrowgate::check
