// Every kernel of every scheme against the definition, written out once more as the plainest loop on small integers,
// then bit for bit against cpu.scalar at each tail, layout, thread order and thread count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/random/philox.h"
#include "kernels/simt/executor.h"

namespace narrowgate {
namespace {

Matrix<float> random_matrix(std::int64_t rows, std::int64_t cols, std::uint32_t tensor) {
  Matrix<float> x(rows, cols);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x.data()[i] = (uniform_from_word(philox_word({.seed = 11, .tensor = tensor}, i)) - 0.25f) * (i % 37 == 0 ? 8.0f : 1.0f);
  }
  return x;
}

constexpr std::int64_t kCalibrationRows = 16;

Operands quantized(const Scheme& scheme, const Matrix<float>& a, const Matrix<float>& b) {
  const Matrix<float> calibration = random_matrix(kCalibrationRows, a.cols(), 2), bias = random_matrix(1, b.cols(), 3);
  auto operands = encode_operands(scheme, {a.view(), b.view(), calibration.view()}, bias.flat());
  EXPECT_TRUE(operands) << scheme.id << ": " << operands.error().reason;
  return *operands;
}

std::vector<std::uint32_t> run_bits(const Kernel& kernel, const Operands& operands, Layout layout = {}) {
  const auto memory = make_host_memory(layout);
  const Shape shape = operands.shape();
  const Launch launch = kernel.bind(operands, memory->output(shape.m, shape.n), *memory);
  launch();
  EXPECT_THAT(memory->damage(), testing::IsEmpty()) << kernel.name;
  const Matrix<float> c = memory->read_output();
  std::vector<std::uint32_t> bits;
  for (const float value : c.flat()) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

std::vector<const Kernel*> host_kernels(const Scheme& scheme) {
  std::vector<const Kernel*> kernels;
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->computes(scheme) && kernel->backend != Backend::kCuda) kernels.push_back(kernel);
  }
  return kernels;
}

// 2×3 · 3×2 by hand. A = (1 2 3; -1 0 127), B = (1 0; 0 127; 2 -1): with amax 127 every scale is 1 and codes are values.
TEST(Int8Kernels, SmallProductByHand) {
  Matrix<float> a(2, 3), b(3, 2);
  std::copy_n(std::array{1.0f, 2.0f, 3.0f, -1.0f, 0.0f, 127.0f}.data(), 6, a.data());
  std::copy_n(std::array{1.0f, 0.0f, 0.0f, 127.0f, 2.0f, -1.0f}.data(), 6, b.data());
  const Scheme& scheme = *find_scheme("int8.tensor");
  const Operands operands = quantized(scheme, a, b);
  for (const Kernel* kernel : host_kernels(scheme)) {
    const std::vector<std::uint32_t> bits = run_bits(*kernel, operands);
    const std::array expected = {7.0f, 251.0f, 253.0f, -127.0f};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(bits[i]), expected[i]) << kernel->name;
  }
}

// A = (0 255; 128 64): lo = 0, scale 1, zero point 0 → stored codes q − 128. B's columns have scale 1 as well.
TEST(Int8Kernels, TheZeroPointCorrectionByHand) {
  Matrix<float> a(2, 2), b(2, 2);
  std::copy_n(std::array{0.0f, 255.0f, 128.0f, 64.0f}.data(), 4, a.data());
  std::copy_n(std::array{127.0f, 1.0f, -3.0f, 127.0f}.data(), 4, b.data());
  const Scheme& scheme = *find_scheme("int8.column_zp");
  const Operands operands = quantized(scheme, a, b);
  EXPECT_EQ(operands.a.zero_points[0], -128);
  for (const Kernel* kernel : host_kernels(scheme)) {
    const std::vector<std::uint32_t> bits = run_bits(*kernel, operands);
    const std::array expected = {-765.0f, 32385.0f, 16064.0f, 8256.0f};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(bits[i]), expected[i]) << kernel->name;
  }
}

TEST(Fp32Kernels, TheChainRoundsOncePerStepInAscendingOrder) {
  Matrix<float> a(1, 3), b(3, 1);
  std::copy_n(std::array{0x1p24f, 1.0f, 1.0f}.data(), 3, a.data());
  std::fill_n(b.data(), 3, 1.0f);
  const Scheme& scheme = *find_scheme("fp32.chain");
  for (const Kernel* kernel : host_kernels(scheme)) {
    // 2²⁴ + 1 ties to 2²⁴, twice; any other order would give 2²⁴ + 2.
    EXPECT_EQ(std::bit_cast<float>(run_bits(*kernel, quantized(scheme, a, b))[0]), 0x1p24f) << kernel->name;
  }
}

class EverySchemeTest : public testing::TestWithParam<const Scheme*> {};

TEST_P(EverySchemeTest, KernelsGiveTheReplaysBitsAtEveryTailAndLayout) {
  const Scheme& scheme = *GetParam();
  for (const Shape shape : {Shape{1, 1, 1}, Shape{7, 3, 5}, Shape{16, 16, 16}, Shape{17, 33, 31}, Shape{25, 65, 129},
                            Shape{2, 255, 513}, Shape{64, 8, 1025}}) {
    const Matrix<float> a = random_matrix(shape.m, shape.k, 0), b = random_matrix(shape.k, shape.n, 1);
    const Operands operands = quantized(scheme, a, b);
    const std::vector<std::uint32_t> answer = run_bits(replay_kernel(scheme), operands);
    for (const Kernel* kernel : host_kernels(scheme)) {
      for (const Layout layout : {Layout{}, Layout{7, 0}, Layout{1, 3}}) {
        ASSERT_EQ(run_bits(*kernel, operands, layout), answer)
            << scheme.id << '/' << kernel->name << ' ' << shape.m << 'x' << shape.n << 'x' << shape.k << " +ld"
            << layout.ld_padding << "+off" << layout.offset;
      }
    }
  }
}

TEST_P(EverySchemeTest, KernelsGiveOneAnswerForAnyThreadCountAndOrder) {
  const Scheme& scheme = *GetParam();
  const Matrix<float> a = random_matrix(61, 200, 0), b = random_matrix(200, 50, 1);
  const Operands operands = quantized(scheme, a, b);
  const std::vector<std::uint32_t> answer = run_bits(replay_kernel(scheme), operands);
  const int threads = omp_get_max_threads();
  for (const int count : {1, 2, 7}) {
    omp_set_num_threads(count);
    const simt::ScopedThreadOrder order(static_cast<std::uint64_t>(count));
    for (const Kernel* kernel : host_kernels(scheme)) EXPECT_EQ(run_bits(*kernel, operands), answer) << kernel->name;
  }
  omp_set_num_threads(threads);
}

TEST_P(EverySchemeTest, SelectedRowsAreTheRowsOfTheWhole) {
  const Scheme& scheme = *GetParam();
  const Matrix<float> a = random_matrix(20, 30, 0), b = random_matrix(30, 10, 1);
  const Operands operands = quantized(scheme, a, b);
  const std::vector<std::uint32_t> whole = run_bits(replay_kernel(scheme), operands);
  const std::vector<std::uint32_t> part = run_bits(replay_kernel(scheme), select_rows(operands, {3, 19}));
  EXPECT_TRUE(std::equal(part.begin(), part.begin() + 10, whole.begin() + 30));
  EXPECT_TRUE(std::equal(part.begin() + 10, part.end(), whole.begin() + 190));
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySchemeTest,
                         testing::ValuesIn(all_schemes().begin(), all_schemes().end()),
                         [](const auto& instance) {
                           std::string name(instance.param->id);
                           for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
                           return name;
                         });

TEST(Registry, IdsAreUniqueAndEveryFamilyHasItsReplay) {
  std::vector<std::string> seen;
  for (const Scheme* scheme : all_schemes()) {
    EXPECT_THAT(seen, testing::Not(testing::Contains(std::string(scheme->id))));
    seen.emplace_back(scheme->id);
    EXPECT_EQ(replay_kernel(*scheme).name, "cpu.scalar");
    EXPECT_TRUE(scheme->id.starts_with(scheme->family));
  }
}

TEST(AccumulatorLimits, AreRefusedOneStepBeyond) {
  const auto refuses = [](const char* id, std::int64_t k) { return find_scheme(id)->refuses({1, 1, k}).has_value(); };
  EXPECT_FALSE(refuses("int8.column", 133'144));
  EXPECT_TRUE(refuses("int8.column", 133'145));
  EXPECT_FALSE(refuses("int8.column_zp", 66'311));
  EXPECT_TRUE(refuses("int8.column_zp", 66'312));
}

}  // namespace
}  // namespace narrowgate
