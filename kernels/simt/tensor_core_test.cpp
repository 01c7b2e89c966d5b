// Tensor cores on the host against a plain matrix product. Fragments are loaded element by element here, by the layout
// that PTX documents for each instruction, not by the emulation's own indices.
#include "kernels/simt/tensor_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/matrix.h"
#include "kernels/random/philox.h"

namespace narrowgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Matrix<std::int8_t> random_codes(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Matrix<std::int8_t> codes(rows, cols);
  const RandomStream stream{.seed = seed};
  for (std::int64_t i = 0; i < codes.size(); ++i) {
    codes.data()[i] = static_cast<std::int8_t>(philox_word(stream, static_cast<std::uint64_t>(i)));
  }
  return codes;
}

// Small integers: every sum is exact in FP16 and FP32, so any order gives the same.
Matrix<float> random_integers(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Matrix<float> values(rows, cols);
  const RandomStream stream{.seed = seed};
  for (std::int64_t i = 0; i < values.size(); ++i) {
    values.data()[i] = static_cast<float>(philox_word(stream, static_cast<std::uint64_t>(i)) % 33) - 16.0f;
  }
  return values;
}

template <class T, class Sum>
Matrix<Sum> product(const Matrix<T>& a, const Matrix<T>& b, const Matrix<Sum>& c) {
  Matrix<Sum> result = c;
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < b.cols(); ++j) {
      for (std::int64_t k = 0; k < a.cols(); ++k) result(i, j) += static_cast<Sum>(a(i, k)) * static_cast<Sum>(b(k, j));
    }
  }
  return result;
}

template <class T, class Sum>
struct Operands3 {
  View<const T> a, b;
  View<Sum> c;
};

std::int32_t pack(std::int8_t first, std::int8_t second, std::int8_t third, std::int8_t fourth) {
  return static_cast<std::int32_t>(static_cast<std::uint8_t>(first) | static_cast<std::uint8_t>(second) << 8 |
                                   static_cast<std::uint8_t>(third) << 16 |
                                   static_cast<std::uint32_t>(static_cast<std::uint8_t>(fourth)) << 24);
}
std::uint32_t pack(float first, float second) {
  return __float2half_rn(first).bits | static_cast<std::uint32_t>(__float2half_rn(second).bits) << 16;
}

using IntegerOperands = Operands3<std::int8_t, std::int32_t>;
using HalfOperands = Operands3<float, float>;

// C[row][col] of register i: rows of the upper half for i = 0, 1, of the lower for i = 2, 3.
template <class Sum>
void load_c(View<Sum> c, Sum (&acc)[4], int lane) {
  for (int i = 0; i < 4; ++i) acc[i] = c(i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1));
}
template <class Sum>
void store_c(View<Sum> c, const Sum (&acc)[4], int lane) {
  for (int i = 0; i < 4; ++i) c(i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)) = acc[i];
}

__global__ void multiply_8x8x16(IntegerOperands o) {
  const int lane = static_cast<int>(threadIdx.x), row = lane / 4, k = lane % 4 * 4, col = lane / 4;
  const std::int32_t a = pack(o.a(row, k), o.a(row, k + 1), o.a(row, k + 2), o.a(row, k + 3));
  const std::int32_t b = pack(o.b(k, col), o.b(k + 1, col), o.b(k + 2, col), o.b(k + 3, col));
  std::int32_t acc[2] = {o.c(row, lane % 4 * 2), o.c(row, lane % 4 * 2 + 1)};
  mma_8x8x16(acc, a, b);
  o.c(row, lane % 4 * 2) = acc[0];
  o.c(row, lane % 4 * 2 + 1) = acc[1];
}

__global__ void multiply_16x8x32(IntegerOperands o) {
  const int lane = static_cast<int>(threadIdx.x), row = lane / 4, col = lane / 4;
  const auto a_word = [&](int r, int k) { return pack(o.a(r, k), o.a(r, k + 1), o.a(r, k + 2), o.a(r, k + 3)); };
  const auto b_word = [&](int k) { return pack(o.b(k, col), o.b(k + 1, col), o.b(k + 2, col), o.b(k + 3, col)); };
  const int k = lane % 4 * 4;
  const std::int32_t a[4] = {a_word(row, k), a_word(row + 8, k), a_word(row, k + 16), a_word(row + 8, k + 16)};
  const std::int32_t b[2] = {b_word(k), b_word(k + 16)};
  std::int32_t acc[4];
  load_c(o.c, acc, lane);
  mma_16x8x32(acc, a, b);
  store_c(o.c, acc, lane);
}

__global__ void multiply_16x8x8(HalfOperands o) {
  const int lane = static_cast<int>(threadIdx.x), row = lane / 4, col = lane / 4, k = lane % 4 * 2;
  const std::uint32_t a[2] = {pack(o.a(row, k), o.a(row, k + 1)), pack(o.a(row + 8, k), o.a(row + 8, k + 1))};
  float acc[4];
  load_c(o.c, acc, lane);
  mma_16x8x8_f16(acc, a, pack(o.b(k, col), o.b(k + 1, col)));
  store_c(o.c, acc, lane);
}

__global__ void multiply_16x8x16(HalfOperands o) {
  const int lane = static_cast<int>(threadIdx.x), row = lane / 4, col = lane / 4, k = lane % 4 * 2;
  const auto a_word = [&](int r, int at) { return pack(o.a(r, at), o.a(r, at + 1)); };
  const std::uint32_t a[4] = {a_word(row, k), a_word(row + 8, k), a_word(row, k + 8), a_word(row + 8, k + 8)};
  const std::uint32_t b[2] = {pack(o.b(k, col), o.b(k + 1, col)), pack(o.b(k + 8, col), o.b(k + 9, col))};
  float acc[4];
  load_c(o.c, acc, lane);
  mma_16x8x16_f16(acc, a, b);
  store_c(o.c, acc, lane);
}

template <class T>
std::vector<T> flat(const Matrix<T>& matrix) {
  return {matrix.flat().begin(), matrix.flat().end()};
}

void expect_integer_product(void (*kernel)(IntegerOperands), std::int64_t rows, std::int64_t depth) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const simt::ScopedThreadOrder order(seed);
    const Matrix<std::int8_t> a = random_codes(rows, depth, 2 * seed), b = random_codes(depth, 8, 2 * seed + 1);
    Matrix<std::int32_t> c(rows, 8);
    for (std::int64_t i = 0; i < c.size(); ++i) c.data()[i] = static_cast<std::int32_t>(i) * 1000 - 50'000;
    const Matrix<std::int32_t> expected = product(a, b, c);
    launch({"mma", {1}, {32}}, nullptr, kernel, IntegerOperands{a.view(), b.view(), c.view()});
    EXPECT_EQ(flat(c), flat(expected));
  }
}

void expect_half_product(void (*kernel)(HalfOperands), std::int64_t depth) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const simt::ScopedThreadOrder order(seed);
    const Matrix<float> a = random_integers(16, depth, 2 * seed), b = random_integers(depth, 8, 2 * seed + 1);
    Matrix<float> c = random_integers(16, 8, 100 + seed);
    const Matrix<float> expected = product(a, b, c);
    launch({"mma", {1}, {32}}, nullptr, kernel, HalfOperands{a.view(), b.view(), c.view()});
    EXPECT_EQ(flat(c), flat(expected));
  }
}

TEST(TensorCore, IntegerShapesGiveThePlainProduct) {
  expect_integer_product(multiply_8x8x16, 8, 16);
  expect_integer_product(multiply_16x8x32, 16, 32);
}

TEST(TensorCore, HalfShapesGiveThePlainProduct) {
  expect_half_product(multiply_16x8x8, 8);
  expect_half_product(multiply_16x8x16, 16);
}

TEST(TensorCore, HalfProductsAreAddedInAscendingK) {
  Matrix<float> a(16, 8), b(8, 8), c(16, 8);
  for (std::int64_t k = 0; k < 8; ++k) b(k, 0) = 1.0f;
  a(0, 0) = 32768.0f, a(0, 1) = 0x1p-10f, a(0, 7) = -32768.0f;  // the small one is lost beside the large one
  launch({"mma", {1}, {32}}, nullptr, multiply_16x8x8, HalfOperands{a.view(), b.view(), c.view()});
  EXPECT_EQ(c(0, 0), 0.0f);
  a(0, 0) = 0.0f, a(0, 7) = 0.0f;
  launch({"mma", {1}, {32}}, nullptr, multiply_16x8x8, HalfOperands{a.view(), b.view(), c.view()});
  EXPECT_EQ(c(0, 0), 0x1p-10f);
}

__global__ void half_a_warp(int) {
  std::int32_t acc[2] = {};
  if (threadIdx.x < 16) mma_8x8x16(acc, 1, 1);
}

TEST(TensorCore, AWarpThatIsNotWholeIsAFinding) {
  EXPECT_THAT([] { launch({"half", {1}, {32}}, nullptr, half_a_warp, 0); },
              ThrowsMessage<simt::Finding>(AllOf(HasSubstr("waits in mma_8x8x16"), HasSubstr("(16, 0, 0)"))));
  EXPECT_THAT([] { launch({"half", {1}, {16}}, nullptr, half_a_warp, 0); },
              ThrowsMessage<simt::Finding>(HasSubstr("mma_8x8x16 with mask 0xffffffff needs lane 31")));
}

}  // namespace
}  // namespace narrowgate
