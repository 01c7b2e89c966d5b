// What broke in other people's kernels and quantizers: the inputs, each with the right behaviour.
#include <cmath>
#include <limits>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/scalar.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/nvfp4.h"
#include "kernels/reference/bounds.h"
#include "kernels/scheme_test_tools.h"

namespace narrowgate {
namespace {

using test::answer;
using test::encode;
using test::filled;
using test::matrix;
using test::random_matrix;

// The largest fraction of the bound that the scheme's answer uses; infinite where it is not finite.
double bound_fraction(const Scheme& scheme, const Matrix<float>& a, const Matrix<float>& b) {
  const Operands operands = encode(scheme, a, b);
  const auto expectation = reference::expect(a.view(), b.view(), operands);
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  const Matrix<float> c = test::run(replay_kernel(scheme), operands);
  double largest = 0;
  for (std::int64_t i = 0; i < c.size(); ++i) {
    const double error = std::fabs(c.data()[i] - target.data()[i]);
    if (error > 0) largest = std::max(largest, error / expectation.bound.data()[i]);
    if (!std::isfinite(c.data()[i])) largest = std::numeric_limits<double>::infinity();
  }
  return largest;
}

class KnownFailuresOfEachScheme : public testing::TestWithParam<const Scheme*> {
 protected:
  const Scheme& scheme() const { return *GetParam(); }
  // The bias is not part of the product.
  bool has_plain_product() const { return !scheme().has_bias; }
};

TEST_P(KnownFailuresOfEachScheme, AnAllZeroRowOrColumnIsExactlyZero) {
  if (!has_plain_product()) return;
  Matrix<float> a = random_matrix(4, 70, 0), b = random_matrix(70, 5, 1);
  for (std::int64_t k = 0; k < 70; ++k) a(2, k) = b(k, 3) = 0.0f;
  // A zero of a whole A has a code of its own, but rotations and smoothing see only zeros as well.
  const Matrix<float> c = test::run(replay_kernel(scheme()), encode(scheme(), a, b));
  for (std::int64_t j = 0; j < 5; ++j) EXPECT_EQ(c(2, j), 0.0f) << scheme().id;
  // Codes without zero give ±s, and s is the floor of its storage type there.
  const bool has_zero = !scheme().id.starts_with("w1a16");
  for (std::int64_t i = 0; i < 4 && has_zero; ++i) EXPECT_EQ(c(i, 3), 0.0f) << scheme().id;
}

TEST_P(KnownFailuresOfEachScheme, AFewSubnormalsStayWithinTheBound) {
  Matrix<float> a = filled(3, 40, 0.0f), b = filled(40, 3, 0.0f);
  a(0, 0) = 0x1p-149f;
  a(1, 7) = -0x1.8p-140f;
  b(0, 0) = 0x1p-130f;
  b(7, 2) = 0x1p-149f;
  EXPECT_LE(bound_fraction(scheme(), a, b), 1.0);
  // And against ordinary weights, where the scale's floor decides.
  EXPECT_LE(bound_fraction(scheme(), a, random_matrix(40, 3, 1)), 1.0);
}

TEST_P(KnownFailuresOfEachScheme, BlocksNear1eMinus35AreFiniteAndWithinTheBound) {
  Matrix<float> a = random_matrix(3, 64, 0), b = random_matrix(64, 3, 1);
  for (float& value : a.flat()) value *= 1e-35f;
  EXPECT_LE(bound_fraction(scheme(), a, b), 1.0);
}

// K = 48 left rows unwritten, 1664, 1824 and 1856 gave garbage, N < 8 and N % 64 ≠ 0 were wrong: outputs are poisoned.
TEST_P(KnownFailuresOfEachScheme, AwkwardDepthsAndWidths) {
  for (const Shape shape : {Shape{3, 8, 48}, Shape{2, 7, 1664}, Shape{2, 65, 1824}, Shape{1, 3, 1856}}) {
    if (scheme().refuses(shape)) continue;
    const Operands operands = encode(scheme(), random_matrix(shape.m, shape.k, 0), random_matrix(shape.k, shape.n, 1));
    const auto bits = test::bits_of(test::run(replay_kernel(scheme()), operands));
    for (const Kernel* kernel : test::host_kernels(scheme())) {
      EXPECT_EQ(test::bits_of(test::run(*kernel, operands)), bits) << kernel->name << " at k = " << shape.k;
    }
    EXPECT_THAT(bits, testing::Not(testing::Contains(Memory::kPoison)));
  }
}

// A stale amax: the same scheme on a second input must not remember the first.
TEST_P(KnownFailuresOfEachScheme, TwoInputsBackToBackAreIndependent) {
  const Matrix<float> a = random_matrix(3, 40, 0), b = random_matrix(40, 4, 1);
  Matrix<float> loud = a;
  for (float& value : loud.flat()) value *= 5.5f;
  const auto before = test::bits_of(test::run(replay_kernel(scheme()), encode(scheme(), a, b)));
  encode(scheme(), loud, b);
  EXPECT_EQ(test::bits_of(test::run(replay_kernel(scheme()), encode(scheme(), a, b))), before);
}

// Constant, one-signed and single-element groups.
TEST_P(KnownFailuresOfEachScheme, OneSidedGroupsStayWithinTheBound) {
  const Matrix<float> b = random_matrix(40, 3, 1);
  Matrix<float> single = filled(40, 3, 0.0f);
  single(5, 0) = 3.0f;
  single(6, 1) = -2.0f;
  for (const Matrix<float>& weights : {filled(40, 3, 0.3f), filled(40, 3, -1.5f), single, b}) {
    EXPECT_LE(bound_fraction(scheme(), filled(2, 40, 0.7f), weights), 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, KnownFailuresOfEachScheme, testing::ValuesIn(all_schemes().begin(), all_schemes().end()), test::test_name);

TEST(KnownFailures, MaximumMagnitudesDoNotSaturateAPairOfInt16) {
  EXPECT_EQ(answer("int8.tensor", filled(2, 64, 127), filled(64, 3, -127))(1, 2), -127.0f * 127 * 64);
  // u8·s8: 255·127 twice is beyond int16.
  EXPECT_EQ(answer("int8.column_zp", filled(1, 64, 255), filled(64, 1, 127))(0, 0), 255.0f * 127 * 64);
}

TEST(KnownFailures, SumsBeyondFp16StayFinite) {
  EXPECT_EQ(answer("w4a16.g128.rtn.chain", filled(1, 256, 60000), filled(256, 1, 7))(0, 0), 60000.0f * 7 * 256);
}

TEST(KnownFailures, AnNvfp4BlockScaleIsNeverTheCodeOfNan) {
  // One block 2²⁰ times the others: their scales clamp at E4M3's smallest, and the largest at 448.
  Matrix<float> x = filled(1, 64, 1.0f);
  x(0, 0) = 0x1p20f;
  const QuantizedMatrix q = *quantize::nvfp4(x.view(), BlockAxis::cols);
  for (const float scale : q.scales) EXPECT_TRUE(scale >= 0x1p-9f && scale <= 448.0f) << scale;
}

TEST(KnownFailures, E8m0DecodesAll256Codes) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(formats::decode(formats::kE8m0, static_cast<std::uint32_t>(code)), std::ldexp(1.0f, code - 127));
  }
  EXPECT_TRUE(std::isnan(formats::decode(formats::kE8m0, 255)));
}

TEST(KnownFailures, E2m1TiesGoToTheEvenCode) {
  const auto nearest = [](double x) { return formats::decode(formats::kE2m1, *formats::encode(formats::kE2m1, x)); };
  EXPECT_EQ(nearest(0.25), 0.0f);
  EXPECT_EQ(nearest(0.75), 1.0f);
  EXPECT_EQ(nearest(1.25), 1.0f);
  EXPECT_EQ(nearest(1.75), 2.0f);
  EXPECT_EQ(nearest(2.5), 2.0f);
  EXPECT_EQ(nearest(3.5), 4.0f);
  EXPECT_EQ(nearest(5.0), 4.0f);
}

TEST(KnownFailures, E4m3Code7fIsNanAndNot480) { EXPECT_TRUE(std::isnan(formats::decode(formats::kE4m3, 0x7F))); }

TEST(KnownFailures, AConstantInt4GroupIsNotCollapsedToZero) {
  const Matrix<float> x = filled(128, 1, 0.3f);
  const QuantizedMatrix q = *quantize::asymmetric_integer(x.view(), formats::kUint4, {128, 1}, quantize::ScaleStorage::fp16);
  EXPECT_NEAR(q.dequantized(0, 0), 0.3, 0.3 / 15);
}

TEST(KnownFailures, SmoothQuantWithAZeroChannelDividesByOne) {
  Matrix<float> a = random_matrix(3, 10, 0), b = random_matrix(10, 3, 1);
  for (std::int64_t i = 0; i < 3; ++i) a(i, 4) = b(7, i) = 0.0f;
  for (const char* id : {"int8.smooth", "int8.smooth_pow2"}) EXPECT_LE(bound_fraction(*find_scheme(id), a, b), 1.0) << id;
}

}  // namespace
}  // namespace narrowgate
