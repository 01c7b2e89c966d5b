// What a kernel reads is not what the quantizer wrote: scales, zero points, codes and biases on their way to it.
#include <algorithm>
#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/fp16_rounding.h"
#include "kernels/quantize/float_values.h"
#include "kernels/quantize/hadamard.h"
#include "kernels/quantize/integer.h"
#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {
namespace {

// OperandsChange of a change that needs no inputs.
template <class Change>
OperandsChange of_operands(const Change& change) {
  return [change](Operands& operands, const SchemeInputs&) { return change(operands); };
}

bool drop_zero_points(Operands& operands) {
  for (QuantizedMatrix* matrix : {&operands.a, &operands.b}) {
    std::fill(matrix->zero_points.begin(), matrix->zero_points.end(), 0);
    std::fill(matrix->fractional_zero_points.begin(), matrix->fractional_zero_points.end(), 0.0f);
  }
  return true;
}

bool negate_zero_points(Operands& operands) {
  for (QuantizedMatrix* matrix : {&operands.a, &operands.b}) {
    for (std::int32_t& zero_point : matrix->zero_points) zero_point = -zero_point;
    for (float& zero_point : matrix->fractional_zero_points) zero_point = -zero_point;
  }
  return true;
}

// Stored scales of the axis, each taken from the block `distance` before it in storage order, around the end.
template <class T>
void rotate_back(std::vector<T>& values, std::int64_t distance) {
  if (values.size() > 1) std::rotate(values.begin(), values.end() - distance % static_cast<std::int64_t>(values.size()), values.end());
}

// B's blocks are stored block row by block row: one back is the column before.
bool shift_scales_one_column(Operands& operands) {
  rotate_back(operands.b.scales, 1);
  return true;
}

bool shift_zero_points_one_row(Operands& operands) {
  rotate_back(operands.a.zero_points, 1);
  return true;
}

bool shift_scales_one_row(Operands& operands) {
  rotate_back(operands.a.scales, 1);
  return true;
}

bool use_first_row_scale(Operands& operands) {
  std::fill(operands.a.scales.begin(), operands.a.scales.end(), operands.a.scales.front());
  return true;
}

template <class Factor>
OperandsChange multiply_b_scales(Factor factor) {
  return of_operands([factor](Operands& operands) {
    for (float& scale : operands.b.scales) scale *= static_cast<float>(factor);
    return true;
  });
}

// One block along k.
std::int64_t blocks_across(const QuantizedMatrix& b) { return b.granularity.block_cols(b.cols()); }

bool take_scales_of_neighbour_block(Operands& operands) {
  rotate_back(operands.b.scales, blocks_across(operands.b));
  return true;
}

bool reuse_scales_of_block_before_last(Operands& operands) {
  std::vector<float>& scales = operands.b.scales;
  const std::int64_t across = blocks_across(operands.b);
  if (static_cast<std::int64_t>(scales.size()) < 2 * across) return false;
  std::copy_n(scales.end() - 2 * across, across, scales.end() - across);
  return true;
}

bool drop_tensor_scales(Operands& operands) {
  operands.a.tensor_scale = operands.b.tensor_scale = 1.0f;
  return true;
}

bool drop_tensor_scale_of_b(Operands& operands) {
  operands.b.tensor_scale = 1.0f;
  return true;
}

bool add_bias_twice(Operands& operands) {
  for (float& value : operands.bias) value += value;
  return true;
}

bool drop_bias(Operands& operands) {
  operands.bias.clear();
  return true;
}

bool shift_bias(Operands& operands) {
  rotate_back(operands.bias, 1);
  return true;
}

bool lose_sign_of_nibbles(Operands& operands) {
  for (std::int8_t& code : operands.b.codes.flat()) code = static_cast<std::int8_t>(code & 15);
  return true;
}

// AWQ's interleave undone that was never applied: of eight, evens first and then odds.
bool interleave_nibbles(Operands& operands) {
  const Matrix<std::int8_t> codes = operands.b.codes;
  for (std::int64_t k = 0; k + 8 <= codes.rows(); k += 8) {
    for (std::int64_t i = 0; i < 8; ++i) {
      for (std::int64_t col = 0; col < codes.cols(); ++col) operands.b.codes(k + i, col) = codes(k + i % 4 * 2 + i / 4, col);
    }
  }
  return true;
}

bool read_b_column_major(Operands& operands) {
  const Matrix<std::int8_t> codes = operands.b.codes;
  for (std::int64_t k = 0; k < codes.rows(); ++k) {
    for (std::int64_t col = 0; col < codes.cols(); ++col) operands.b.codes(k, col) = codes.data()[col * codes.rows() + k];
  }
  return true;
}

// What tensor cores do to FP32 operands unless they are told not to: 10 bits of mantissa stay.
bool cut_to_tf32(Operands& operands) {
  for (QuantizedMatrix* matrix : {&operands.a, &operands.b}) {
    for (float& value : matrix->values.flat()) value = formats::float_from_bits(formats::float_bits(value) & ~0x1FFFu);
  }
  return true;
}

bool drop_first_outlier_channel(Operands& operands) {
  for (std::int64_t row = 0; row < operands.outlier_a.rows(); ++row) operands.outlier_a(row, 0) = 0.0f;
  return !operands.outlier_a.empty();
}

bool leave_factors_in_a(Operands& operands, const SchemeInputs& inputs) {
  auto unscaled = quantize::fp16_values(inputs.a);
  if (!unscaled) return false;
  operands.a = std::move(*unscaled);
  return true;
}

bool leave_factors_out_of_b(Operands& operands, const SchemeInputs& inputs) {
  auto unscaled = quantize::symmetric_int8(inputs.b, Granularity::column());
  if (!unscaled) return false;
  operands.b = std::move(*unscaled);
  return true;
}

// A is rotated with signs of another stream than B's.
bool rotate_a_with_other_signs(Operands& operands, const SchemeInputs& inputs) {
  constexpr RandomStream kOtherSigns{.seed = 33, .tensor = 0x4A5D, .distribution = 0};
  const Matrix<float> rotated = quantize::hadamard_rotated(inputs.a, BlockAxis::cols, kRotationBlock, kOtherSigns);
  auto quantized = quantize::mx(rotated.view(), formats::kE2m1, quantize::MxRule::rceil, BlockAxis::cols);
  if (!quantized) return false;
  operands.a = std::move(*quantized);
  return true;
}

bool leave_a_unrotated(Operands& operands, const SchemeInputs& inputs) {
  auto quantized = quantize::mx(inputs.a, formats::kE2m1, quantize::MxRule::rceil, BlockAxis::cols);
  if (!quantized) return false;
  operands.a = std::move(*quantized);
  return true;
}

constexpr auto kOperands = MutantKind::operands;
using Schemes = std::vector<std::string_view>;

const Schemes kColumnScales = {"int8.column", "int8.token", "w8a16.row.chain", "fp8.e4m3.column.chain"};
const Schemes kScaled = {"int8.column", "w8a16.row.lanes", "w4a16.g128.rtn.chain", "w4a8.g128", "fp8.e4m3.block128.blocks",
                         "mx.mxfp8_e4m3.rceil.chain", "mx.nvfp4.chain", "ternary.bitnet"};
const Schemes kGroups = {"w4a16.g128.rtn.chain", "w2a16.g64.rtn.lanes", "w4a8.g128", "fp8.e4m3.g32.blocks",
                         "mx.mxfp4.rceil.chain"};
const Schemes kFourBits = {"w4a16.g128.rtn.chain", "w4a16.g128_zp.rtn.lanes", "w4a8.g128", "mx.mxfp4.floor.chain"};
const Schemes kBias = {"fp32.chain.bias", "int8.column.bias", "w4a16.g128.rtn.chain.bias"};
const std::vector<Distribution> kOutliers = {Distribution::kOutlierChannel, Distribution::kHeavy};

std::vector<Mutant> scale_mutants() {
  return {
      {.name = "scales_one_column_on", .kind = kOperands, .what = "each column of B decodes with the scale of the one before it",
       .schemes = kColumnScales, .change_operands = of_operands(shift_scales_one_column)},
      {.name = "scales_one_row_on", .kind = kOperands, .what = "each row of A decodes with the scale of the one before it",
       .schemes = {"int8.token", "int8.token_zp", "fp8.e4m3.token.chain", "w4a8.g128"},
       .change_operands = of_operands(shift_scales_one_row)},
      {.name = "first_row_scale", .kind = kOperands, .what = "all rows of A decode with the scale of row 0",
       .schemes = {"int8.token", "int8.token_zp", "fp8.e4m3.token.chain", "w4a8.g128"},
       .change_operands = of_operands(use_first_row_scale)},
      {.name = "scales_plus_1_percent", .kind = kOperands, .what = "all scales of B are 1 % too large", .schemes = kScaled,
       .change_operands = multiply_b_scales(1.01)},
      {.name = "scales_plus_0.01_percent", .kind = kOperands, .what = "all scales of B are 0.01 % too large", .schemes = kScaled,
       .change_operands = multiply_b_scales(1.0001)},
      {.name = "e8m0_off_by_one", .kind = kOperands, .what = "E8M0 scales are decoded with bias 126",
       .schemes = {"mx.mxfp8_e4m3.floor.chain", "mx.mxfp6_e2m3.rceil.chain", "mx.mxfp4.even.chain", "mx.mxint8.floor.chain"},
       .change_operands = multiply_b_scales(2.0)},
      {.name = "neighbour_block_scale", .kind = kOperands, .what = "each block of k decodes with the scale of the block before it",
       .schemes = kGroups, .change_operands = of_operands(take_scales_of_neighbour_block)},
      {.name = "last_block_scale_reused", .kind = kOperands, .what = "the last block of k decodes with the scale of the block before it",
       .schemes = kGroups, .change_operands = of_operands(reuse_scales_of_block_before_last)},
      {.name = "tensor_scales_dropped", .kind = kOperands, .what = "NVFP4's second scales are not applied",
       .schemes = {"mx.nvfp4.chain"}, .change_operands = of_operands(drop_tensor_scales)},
      {.name = "tensor_scale_of_b_dropped", .kind = kOperands, .what = "of NVFP4's second scales only A's is applied",
       .schemes = {"mx.nvfp4.chain"}, .change_operands = of_operands(drop_tensor_scale_of_b)},
  };
}

std::vector<Mutant> integer_mutants() {
  const Schemes zero_points = {"int8.column_zp", "int8.token_zp", "w4a16.g128_zp.rtn.chain", "w2a16.g32_zp.rtn.lanes",
                               "w4a16.g128_zp.hqq.chain"};
  return {
      {.name = "zero_point_dropped", .kind = kOperands, .what = "zero points are not subtracted", .schemes = zero_points,
       .change_operands = of_operands(drop_zero_points)},
      {.name = "zero_point_sign", .kind = kOperands, .what = "zero points are added instead of subtracted", .schemes = zero_points,
       .change_operands = of_operands(negate_zero_points)},
      {.name = "zero_point_of_wrong_row", .kind = kOperands, .what = "each row of A is corrected by the zero point of the one before it",
       .schemes = {"int8.token_zp"}, .change_operands = of_operands(shift_zero_points_one_row)},
      {.name = "codes_column_major", .kind = kOperands, .what = "the codes of B are read as if stored by columns",
       .schemes = {"int8.column", "w4a16.g128.rtn.chain", "fp8.e4m3.column.chain", "mx.mxfp4.rceil.chain"},
       .change_operands = of_operands(read_b_column_major)},
      {.name = "nibbles_interleaved", .kind = kOperands, .what = "eight 4-bit codes of a word are unpacked in AWQ's order, which they are not in",
       .schemes = kFourBits, .change_operands = of_operands(interleave_nibbles)},
      {.name = "nibble_sign_lost", .kind = kOperands, .what = "signed 4-bit codes are unpacked without extending the sign",
       .schemes = {"w4a16.g128.rtn.chain", "w4a16.g128.mse.lanes", "w4a16.g128.gptq.chain", "w4a8.g128"},
       .change_operands = of_operands(lose_sign_of_nibbles)},
  };
}

std::vector<Mutant> transform_mutants() {
  return {
      {.name = "bias_twice", .kind = kOperands, .what = "the bias is added twice", .schemes = kBias,
       .change_operands = of_operands(add_bias_twice)},
      {.name = "bias_dropped", .kind = kOperands, .what = "the bias is not added", .schemes = kBias,
       .change_operands = of_operands(drop_bias)},
      {.name = "bias_one_column_on", .kind = kOperands, .what = "each column gets the bias of the one before it", .schemes = kBias,
       .change_operands = of_operands(shift_bias)},
      {.name = "operands_in_tf32", .kind = kOperands, .what = "FP32 operands are cut to TF32's 10 bits of mantissa",
       .schemes = {"fp32.chain", "fp32.lanes", "sparse24.prune.fp32.chain", "sparse24.compressed.fp32.chain"},
       .change_operands = of_operands(cut_to_tf32)},
      {.name = "outlier_channel_dropped", .kind = kOperands, .what = "the first outlier channel is not multiplied",
       .schemes = {"int8.mixed"}, .distributions = kOutliers, .change_operands = of_operands(drop_first_outlier_channel)},
      {.name = "awq_factors_not_undone", .kind = kOperands, .what = "activations are not divided by the factors in the weights",
       .schemes = {"w4a16.g128.awq.chain", "w4a16.g128.awq.lanes", "w4a16.g128_zp.awq.chain"}, .distributions = kOutliers,
       .change_operands = leave_factors_in_a},
      {.name = "smooth_factors_on_a_alone", .kind = kOperands, .what = "weights are not multiplied by the factors that divide A",
       .schemes = {"int8.smooth", "int8.smooth_pow2"}, .change_operands = leave_factors_out_of_b},
      {.name = "hadamard_other_signs", .kind = kOperands, .what = "A is rotated with other signs than B",
       .schemes = {"mx.mxfp4_hadamard.chain"}, .change_operands = rotate_a_with_other_signs},
      {.name = "hadamard_on_b_alone", .kind = kOperands, .what = "B is rotated and A is not",
       .schemes = {"mx.mxfp4_hadamard.chain"}, .change_operands = leave_a_unrotated},
  };
}

}  // namespace

std::vector<Mutant> operand_mutants() {
  std::vector<Mutant> mutants = scale_mutants();
  for (auto* list : {integer_mutants, transform_mutants}) {
    for (Mutant& mutant : list()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace narrowgate::selftest
