// Split-K: how k is cut, what its bound counts, and that nothing but the shape decides the bits.
#include <omp.h>

#include <cmath>

#include "kernels/reference/bounds.h"
#include "kernels/scheme_test_tools.h"
#include "kernels/simt/executor.h"

namespace narrowgate {
namespace {

const Kernel& splitk() {
  const auto kernels = all_kernels();
  return **std::find_if(kernels.begin(), kernels.end(),
                        [](const Kernel* kernel) { return kernel->name == "simt.splitk"; });
}

Operands operands_of(Shape shape, const char* scheme = "fp32.chain") {
  return test::encode(*find_scheme(scheme), test::random_matrix(shape.m, shape.k, 0),
                      test::random_matrix(shape.k, shape.n, 1));
}

TEST(SplitK, CountsTheSliceAndTheSlices) {
  const auto roundings = splitk().precision->roundings;
  EXPECT_EQ(roundings({1, 1, 1}), 16 + 1);         // one slice of one tile
  EXPECT_EQ(roundings({33, 65, 129}), 80 + 2);     // 129 holds two slices of 64
  EXPECT_EQ(roundings({1, 64, 1025}), 80 + 13);    // sixteen were wanted; whole tiles leave thirteen
  EXPECT_EQ(roundings({16, 16, 65536}), 256 + 256);
  EXPECT_EQ(roundings({1024, 1024, 1024}), 1024 + 1);  // tiles enough without splitting
}

TEST(SplitK, OneSliceIsTheChain) {
  const Operands operands = operands_of({17, 9, 127});
  EXPECT_EQ(test::bits_of(test::run(splitk(), operands)),
            test::bits_of(test::run(replay_kernel(*find_scheme("fp32.chain")), operands)));
}

TEST(SplitK, SlicesAreAddedInAscendingOrder) {
  // Slices of 64: 2²⁴ alone, then 1 and 1. In this order both ones are lost; added first, they would count.
  Matrix<float> a = test::filled(1, 192, 1.0f), b(192, 1);
  b(0, 0) = 0x1p24f;
  b(64, 0) = 1.0f;
  b(128, 0) = 1.0f;
  EXPECT_EQ(test::run(splitk(), test::encode(*find_scheme("fp32.chain"), a, b))(0, 0), 0x1p24f);
}

TEST(SplitK, StaysInsideItsBoundAtTailsWithAnyEpilogue) {
  for (const char* scheme : {"fp32.chain", "fp32.chain.bias", "fp32.chain.f16out"}) {
    for (const Shape shape :
         {Shape{1, 1, 1}, Shape{17, 33, 31}, Shape{25, 65, 129}, Shape{1, 64, 1025}, Shape{3, 5, 4096}}) {
      const Operands operands = operands_of(shape, scheme);
      const auto rounding = reference::expect_rounding(operands, {splitk().precision->roundings(shape), 0x1p-24});
      const Matrix<float> c = test::run(splitk(), operands, {7, 3});
      for (std::int64_t i = 0; i < c.size(); ++i) {
        ASSERT_LE(std::fabs(double{c.data()[i]} - rounding.product.data()[i]), rounding.bound.data()[i])
            << scheme << ' ' << shape.k;
      }
    }
  }
}

TEST(SplitK, OnlyTheShapeDecidesTheBits) {
  const Operands operands = operands_of({25, 65, 513});
  const auto bits = test::bits_of(test::run(splitk(), operands));
  EXPECT_EQ(test::bits_of(test::run(splitk(), operands, {7, 3})), bits);
  const int threads = omp_get_max_threads();
  for (const int count : {1, 2, 7}) {
    omp_set_num_threads(count);
    const simt::ScopedThreadOrder order(static_cast<std::uint64_t>(count));
    EXPECT_EQ(test::bits_of(test::run(splitk(), operands)), bits) << count;
  }
  omp_set_num_threads(threads);
}

TEST(Registry, ABoundedKernelStatesItsPrecision) {
  for (const Kernel* kernel : all_kernels()) {
    EXPECT_EQ(kernel->precision.has_value(), kernel->contract == Contract::kBounded) << kernel->name;
    if (!kernel->precision) continue;
    EXPECT_GT(kernel->precision->roundings({64, 64, 64}), 0) << kernel->name;
  }
}

TEST(MatrixUnit, RoundsOnceAStepAndWithinItsOwn) {
  EXPECT_EQ(matrix_unit_roundings<32>({1, 1, 1024}), 32 + 32);
  EXPECT_EQ(matrix_unit_roundings<16>({1, 1, 33}), 3 + 16);
  EXPECT_EQ(any_order_roundings({1, 1, 1000}), 1000);
}

}  // namespace
}  // namespace narrowgate
