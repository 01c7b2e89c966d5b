// Schemes by hand: small products whose every rounding is known, one story for each order, epilogue and preparation.
#include <cmath>

#include "kernels/int8/outliers.h"
#include "kernels/quantize/prune24.h"
#include "kernels/reference/k_plan.h"
#include "kernels/scheme_test_tools.h"

namespace narrowgate {
namespace {

using test::answer;
using test::encode;
using test::filled;
using test::matrix;
using test::random_matrix;
using testing::ElementsAre;

std::vector<float> values(const Matrix<float>& c) { return {c.flat().begin(), c.flat().end()}; }

// A row of zeros but for a few elements.
Matrix<float> row_with(std::int64_t k, std::initializer_list<std::pair<std::int64_t, float>> elements) {
  Matrix<float> x(1, k);
  for (const auto& [at, value] : elements) x(0, at) = value;
  return x;
}

TEST(Chain, RoundsOncePerStepInAscendingOrder) {
  // 2²⁴ + 1 ties to 2²⁴, twice; any other order would give 2²⁴ + 2.
  EXPECT_EQ(answer("fp32.chain", matrix(1, 3, {0x1p24f, 1, 1}), filled(3, 1, 1))(0, 0), 0x1p24f);
}

TEST(Lanes, FourNeighboursShareALaneAndLanesAreAddedAfterwards) {
  // 2²⁴ in lane 0, the ones in lane 1: 2²⁴ + (1 + 1).
  EXPECT_EQ(answer("fp32.lanes", row_with(8, {{0, 0x1p24f}, {4, 1}, {5, 1}}), filled(8, 1, 1))(0, 0), 0x1p24f + 2);
  // All in lane 0, where each one is lost.
  EXPECT_EQ(answer("fp32.lanes", row_with(8, {{0, 0x1p24f}, {1, 1}, {2, 1}}), filled(8, 1, 1))(0, 0), 0x1p24f);
  // k = 128 is lane 0 again.
  EXPECT_EQ(answer("fp32.lanes", row_with(130, {{0, 0x1p24f}, {128, 1}, {129, 1}}), filled(130, 1, 1))(0, 0), 0x1p24f);
}

TEST(Lanes, TheTreeAddsLanesSixteenApartFirst) {
  // Lanes 0, 8 and 16: (1 + 2²⁴) + −2²⁴ = 0, where (1 − 2²⁴) + 2²⁴ would be 1.
  const auto a = row_with(128, {{0, 1}, {4 * 16, 0x1p24f}, {4 * 8, -0x1p24f}});
  EXPECT_EQ(answer("fp32.lanes", a, filled(128, 1, 1))(0, 0), 0.0f);
}

TEST(KPlan, LanesAreReversedFiveBitNumbersAndCoverEveryKOnce) {
  const KPlan plan = lane_plan(256, 4);
  EXPECT_THAT(std::vector(plan.slots.begin(), plan.slots.begin() + 8), ElementsAre(0, 1, 2, 3, 128, 129, 130, 131));
  EXPECT_THAT(std::vector(plan.slots.begin() + 8, plan.slots.begin() + 12), ElementsAre(64, 65, 66, 67)) << "lane 16 is second";
  std::vector<std::int64_t> sorted = plan.slots;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t k = 0; k < 256; ++k) EXPECT_EQ(sorted[static_cast<std::size_t>(k)], k);
}

TEST(KPlan, BlocksOfOddLengthArePaddedToPairs) {
  EXPECT_THAT(block_plan(5, 3, 2).slots, ElementsAre(0, 1, 2, -1, 3, 4));
  EXPECT_THAT(block_plan(5, 3, 2).segment_words, ElementsAre(2, 1));
}

TEST(Epilogue, Fp16OutputRoundsOnceToNearestEven) {
  // 2049 lies between 2048 and 2050: to the even one. 2051 goes up to 2052.
  EXPECT_THAT(values(answer("fp32.chain.f16out", matrix(2, 1, {2049, 2051}), filled(1, 1, 1))), ElementsAre(2048, 2052));
}

TEST(Epilogue, TheBiasIsAddedAfterTheSumWithOneRounding) {
  const Scheme& scheme = *find_scheme("fp32.chain.bias");
  Operands operands = encode(scheme, matrix(1, 1, {0x1p24f}), filled(1, 2, 1));
  operands.bias = {1.0f, 3.0f};
  EXPECT_THAT(values(test::run(replay_kernel(scheme), operands)), ElementsAre(0x1p24f, 0x1p24f + 4));
}

TEST(Int8, SmallProductByHand) {
  // With amax 127 every scale is 1 and codes are values.
  const auto c = answer("int8.tensor", matrix(2, 3, {1, 2, 3, -1, 0, 127}), matrix(3, 2, {1, 0, 0, 127, 2, -1}));
  EXPECT_THAT(values(c), ElementsAre(7, 251, 253, -127));
}

TEST(Int8, TheZeroPointCorrectionByHand) {
  // A: lo = 0, scale 1, zero point 0, so stored codes are q − 128.
  const Matrix<float> a = matrix(2, 2, {0, 255, 128, 64}), b = matrix(2, 2, {127, 1, -3, 127});
  EXPECT_EQ(encode(*find_scheme("int8.column_zp"), a, b).a.zero_points[0], -128);
  EXPECT_THAT(values(answer("int8.column_zp", a, b)), ElementsAre(-765, 32385, 16064, 8256));
  EXPECT_THAT(values(answer("int8.token_zp", matrix(2, 2, {0, 255, 255, 0}), b)), ElementsAre(-765, 32385, 32385, 255));
}

TEST(Int8, TokensHaveTheirOwnScales) {
  // Rows 127 and 1270: each full scale, so each exact to its own step.
  EXPECT_THAT(values(answer("int8.token", matrix(2, 1, {127, 1270}), matrix(1, 1, {127}))), ElementsAre(127 * 127, 1270 * 127));
}

TEST(Int8, OutlierChannelsStayExact) {
  const Matrix<float> a = matrix(1, 3, {1, 1000.125f, -1}), b = matrix(3, 1, {127, 3, 127});
  const auto split = int8::split_outliers(a.view(), b.view(), int8::kOutlierThreshold);
  EXPECT_THAT(split.outlier_a.flat(), ElementsAre(1000.125f));
  EXPECT_THAT(split.inlier_a.flat(), ElementsAre(1, 0, -1));
  EXPECT_THAT(split.inlier_b.flat(), ElementsAre(127, 0, 127));
  EXPECT_EQ(answer("int8.mixed", a, b)(0, 0), 3000.375f);  // the inliers cancel
}

TEST(Int8, AStaticRangeSaturatesWhatExceedsIt) {
  const Scheme& scheme = *find_scheme("int8.static_p9999");
  const Matrix<float> a = matrix(1, 2, {1, 8}), b = matrix(2, 1, {127, 0}), calibration = matrix(1, 2, {2, -4});
  const Operands operands = *encode_operands(scheme, {a.view(), b.view(), calibration.view()}, {});
  EXPECT_EQ(operands.a.scales[0], 4.0f / 127);
  EXPECT_THAT(operands.a.codes.flat(), ElementsAre(32, 127));
}

TEST(Smooth, PowersOfTwoChangeNoElementAndTheProductStays) {
  const Matrix<float> a = random_matrix(5, 40, 0), b = random_matrix(40, 6, 1);
  const Operands operands = encode(*find_scheme("int8.smooth_pow2"), a, b);
  for (std::int64_t k = 0; k < 40; ++k) {
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 6; ++j) {
        EXPECT_EQ(double{operands.encoded_a(i, k)} * operands.encoded_b(k, j), double{a(i, k)} * b(k, j));
      }
    }
  }
}

TEST(WeightOnly, ByHand) {
  // Symmetric INT4, amax 7·2: s = 2, codes 7, −1 (of −3: −1.5 ties to −2), 0.
  EXPECT_EQ(answer("w4a16.g128.rtn.chain", matrix(1, 3, {1, 10, 100}), matrix(3, 1, {14, -3, 0}))(0, 0), 14 - 2 * 2 * 10);
  // With a zero point: lo = −2, hi = 13, s = 1, z = 2; every value is a code.
  EXPECT_EQ(answer("w4a16.g128_zp.rtn.chain", matrix(1, 3, {1, 10, 100}), matrix(3, 1, {13, -2, 5}))(0, 0), 13 - 20 + 500);
  // INT8 weights: the scale is applied once, at the end.
  EXPECT_EQ(answer("w8a16.row.chain", matrix(1, 2, {1, 2}), matrix(2, 1, {254, -4}))(0, 0), 254 - 8);
  // Binary: ± the mean magnitude 2.
  EXPECT_EQ(answer("w1a16.g128.rtn.chain", matrix(1, 2, {1, 10}), matrix(2, 1, {1, -3}))(0, 0), 2 - 20);
  // Activations are FP16: 2049 becomes 2048.
  EXPECT_EQ(answer("w4a16.g128.rtn.chain", matrix(1, 1, {2049}), matrix(1, 1, {7}))(0, 0), 7 * 2048);
}

TEST(WeightOnly, RefusesActivationsBeyondFp16) {
  const auto refused = test::try_encode(*find_scheme("w4a16.g128.rtn.chain"), matrix(1, 2, {1, 65536}), matrix(2, 1, {1, 1}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().reason, testing::HasSubstr("row 0, column 1"));
}

TEST(GroupInt8, SumsIntegersWithinAGroupAndFloatsBetweenGroups) {
  // Groups of 128: weights 7 and 14, so scales 1 and 2; activations ±127 with scale 1.
  const auto a = row_with(129, {{0, 127}, {1, -1}, {128, 127}});
  Matrix<float> b(129, 1);
  b(0, 0) = 7;
  b(1, 0) = 3;
  b(128, 0) = 14;
  EXPECT_EQ(answer("w4a8.g128", a, b)(0, 0), 127 * 7 - 3 + 127 * 14);
}

TEST(Ternary, WeightsAreTheMeanMagnitudeOrZero) {
  // mean|w| = 2: 4 → 1, −3 → −1 (−1.5 ties to −2, clamped), 1 → 0 (0.5 ties to 0), 0 → 0.
  EXPECT_EQ(answer("ternary.bitnet", matrix(1, 4, {127, 1, 2, 4}), matrix(4, 1, {4, -3, 1, 0}))(0, 0), 2 * (127 - 1));
}

TEST(Fp8, ScalesJoinBlocksOfTheSum) {
  // Full scale of E4M3 in both blocks of 32, with scales 1 and 2 of A; B's are 1.
  auto a = row_with(33, {{0, 448}, {1, 1}, {32, 896}});
  Matrix<float> b(33, 1);
  b(0, 0) = 448;
  b(1, 0) = 2;
  b(32, 0) = 448;
  EXPECT_EQ(answer("fp8.e4m3.g32.blocks", a, b)(0, 0), 448.0f * 448 + 2 + 896 * 448);
}

TEST(Mx, BlocksDecodeWithTheirPowersOfTwo) {
  // E2M1, floor: amax 6 gives X = 1, amax 24 gives X = 4; all values are codes.
  const auto a = row_with(33, {{0, 6}, {1, 0.5f}, {32, 24}});
  EXPECT_EQ(answer("mx.mxfp4.floor.chain", a, filled(33, 1, 6))(0, 0), 6 * 30.5f);
}

TEST(Hadamard, TheRotationLeavesTheProductUpToRounding) {
  const Matrix<float> a = random_matrix(3, 70, 0), b = random_matrix(70, 4, 1);
  const Operands operands = encode(*find_scheme("mx.mxfp4_hadamard.chain"), a, b);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      double original = 0, rotated = 0;
      for (std::int64_t k = 0; k < 70; ++k) {
        original += double{a(i, k)} * b(k, j);
        rotated += double{operands.encoded_a(i, k)} * operands.encoded_b(k, j);
      }
      EXPECT_NEAR(rotated, original, 1e-5);
    }
  }
}

TEST(Sparse24, CompressedAndDenseGiveOneAnswer) {
  for (const std::int64_t k : {1, 3, 4, 30, 131}) {
    const Matrix<float> a = random_matrix(5, k, 0), b = random_matrix(k, 7, 1);
    EXPECT_EQ(test::bits_of(answer("sparse24.compressed.int8_column", a, b)), test::bits_of(answer("int8.column_24", a, b)));
    EXPECT_EQ(test::bits_of(answer("sparse24.compressed.fp32.chain", a, b)), test::bits_of(answer("sparse24.prune.fp32.chain", a, b)));
    const Matrix<float> pruned = quantize::prune24(b.view());
    EXPECT_EQ(test::bits_of(answer("sparse24.prune.fp32.chain", a, b)), test::bits_of(answer("fp32.chain", a, pruned)));
  }
}

TEST(StorageCost, IsCountedInBitsForEachWeight) {
  const auto cost = [](const char* id, std::int64_t k, std::int64_t n) {
    return bits_per_weight(encode(*find_scheme(id), random_matrix(2, k, 0), random_matrix(k, n, 1)));
  };
  EXPECT_EQ(cost("fp32.chain", 128, 8), 32);
  EXPECT_EQ(cost("w4a16.g128.rtn.chain", 128, 8), 4.125);
  EXPECT_EQ(cost("w4a16.g64_zp.rtn.lanes", 128, 8), 4 + (16 + 4) / 64.0);
  EXPECT_EQ(cost("w1a16.g32.rtn.chain", 128, 8), 1.5);
  EXPECT_EQ(cost("mx.mxfp4.floor.chain", 128, 8), 4.25);
  EXPECT_EQ(cost("sparse24.compressed.fp32.chain", 128, 8), 17);
  EXPECT_EQ(cost("int8.column", 128, 8), 8 + 32.0 / 128);
}

TEST(Refusals, NameTheLimit) {
  const auto reason = [](const char* id, std::int64_t k) { return find_scheme(id)->refuses({1, 1, k}); };
  EXPECT_FALSE(reason("int8.column", 133'144));
  EXPECT_THAT(*reason("int8.column", 133'145), testing::HasSubstr("133144"));
  EXPECT_FALSE(reason("int8.token_zp", 66'311));
  EXPECT_TRUE(reason("int8.token_zp", 66'312));
  EXPECT_TRUE(reason("sparse24.compressed.int8_column", 133'145));
  EXPECT_FALSE(reason("w4a16.g128.gptq.chain", 1024));
  EXPECT_THAT(*reason("w4a16.g128.gptq.chain", 1025), testing::HasSubstr("offline"));
}

}  // namespace
}  // namespace narrowgate
