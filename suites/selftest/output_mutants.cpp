// What is stored is not what was computed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/formats/fp16_rounding.h"
#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {
namespace {

const std::vector<std::string_view> kEveryKind = {"fp32.chain", "int8.column", "int8.token_zp", "w4a16.g128.rtn.chain",
                                                  "fp8.e4m3.token.chain", "mx.mxfp4.rceil.chain"};

// Columns by ascending largest magnitude.
std::vector<std::int64_t> columns_by_loudness(const Matrix<float>& output) {
  std::vector<float> loudness(static_cast<std::size_t>(output.cols()));
  for (std::int64_t row = 0; row < output.rows(); ++row) {
    for (std::int64_t col = 0; col < output.cols(); ++col) {
      float& loudest = loudness[static_cast<std::size_t>(col)];
      loudest = std::max(loudest, std::fabs(output(row, col)));
    }
  }
  std::vector<std::int64_t> columns(loudness.size());
  std::iota(columns.begin(), columns.end(), std::int64_t{0});
  std::stable_sort(columns.begin(), columns.end(), [&](std::int64_t a, std::int64_t b) {
    return loudness[static_cast<std::size_t>(a)] < loudness[static_cast<std::size_t>(b)];
  });
  return columns;
}

template <std::int64_t kCount>
bool zero_quietest_columns(Matrix<float>& output) {
  const auto columns = columns_by_loudness(output);
  for (std::int64_t i = 0; i < kCount; ++i) {
    for (std::int64_t row = 0; row < output.rows(); ++row) output(row, columns[static_cast<std::size_t>(i)]) = 0.0f;
  }
  return true;
}

bool repeat_row_before_last(Matrix<float>& output) {
  const std::int64_t last = output.rows() - 1;
  for (std::int64_t col = 0; col < output.cols(); ++col) output(last, col) = output(last - 1, col);
  return true;
}

bool swap_two_columns(Matrix<float>& output) {
  for (std::int64_t row = 0; row < output.rows(); ++row) std::swap(output(row, 3), output(row, 4));
  return true;
}

float& middle(Matrix<float>& output) { return output(output.rows() / 2, output.cols() / 2); }

template <int kUlps>
bool move_one_element(Matrix<float>& output) {
  float& element = middle(output);
  for (int i = 0; i < kUlps; ++i) element = std::nextafter(element, std::numeric_limits<float>::infinity());
  return true;
}

bool negate_one_element(Matrix<float>& output) {
  middle(output) = -middle(output);
  return true;
}

bool one_nan(Matrix<float>& output) {
  middle(output) = std::numeric_limits<float>::quiet_NaN();
  return true;
}

bool one_infinity(Matrix<float>& output) {
  middle(output) = std::numeric_limits<float>::infinity();
  return true;
}

template <class Change>
OutputChange each_element(const Change& change) {
  return [change](Matrix<float>& output) {
    for (float& element : output.flat()) element = change(element);
    return true;
  };
}

// FP32 cut to FP16's 11 significant bits; no element of these cases is subnormal there.
float cut_to_fp16(float x) { return formats::float_from_bits(formats::float_bits(x) & ~0x1FFFu); }
float cut_to_bf16(float x) { return formats::float_from_bits(formats::float_bits(x) & ~0xFFFFu); }

// The kernel hands over its FP32 sum, and the store does something else than round it.
bool hand_over_fp32(Operands& operands, const SchemeInputs&) {
  if (operands.output != OutputFormat::kFp16) return false;
  operands.output = OutputFormat::kFp32;
  return true;
}

}  // namespace

std::vector<Mutant> output_mutants() {
  const auto kOutput = MutantKind::output;
  const std::vector<std::string_view> half = {"fp32.chain.f16out", "int8.column.f16out", "w4a16.g128.rtn.chain.f16out"};
  return {
      {.name = "quietest_column_zero", .kind = kOutput, .what = "the column with the smallest magnitudes is zero",
       .schemes = kEveryKind, .change_output = zero_quietest_columns<1>},
      {.name = "eight_quietest_columns_zero", .kind = kOutput, .what = "the eight columns with the smallest magnitudes are zero",
       .schemes = kEveryKind, .change_output = zero_quietest_columns<8>},
      {.name = "last_row_repeated", .kind = kOutput, .what = "the last row is the one before it again",
       .schemes = kEveryKind, .change_output = repeat_row_before_last},
      {.name = "columns_swapped", .kind = kOutput, .what = "two neighbouring columns are exchanged",
       .schemes = kEveryKind, .change_output = swap_two_columns},
      {.name = "one_nan", .kind = kOutput, .what = "one element is NaN", .schemes = kEveryKind, .change_output = one_nan},
      {.name = "one_infinity", .kind = kOutput, .what = "one element is infinite", .schemes = kEveryKind,
       .change_output = one_infinity},
      {.name = "all_nan", .kind = kOutput, .what = "every element is NaN", .schemes = kEveryKind,
       .change_output = each_element([](float) { return std::numeric_limits<float>::quiet_NaN(); })},
      {.name = "all_zeros", .kind = kOutput, .what = "every element is zero", .schemes = kEveryKind,
       .change_output = each_element([](float) { return 0.0f; })},
      {.name = "two_ulp", .kind = kOutput, .what = "one element is two floats above the right one", .schemes = kEveryKind,
       .change_output = move_one_element<2>},
      {.name = "one_sign", .kind = kOutput, .what = "one element has the other sign", .schemes = kEveryKind,
       .change_output = negate_one_element},
      {.name = "negatives_clamped", .kind = kOutput, .what = "a rectifier is applied that the scheme does not have",
       .schemes = kEveryKind, .change_output = each_element([](float x) { return std::max(x, 0.0f); })},
      {.name = "stored_as_bf16", .kind = kOutput, .what = "the FP32 output is cut to BF16 on its way to memory",
       .schemes = kEveryKind, .change_output = each_element(cut_to_bf16)},
      {.name = "f16_truncated", .kind = kOutput, .what = "the FP16 output is cut off instead of rounded", .schemes = half,
       .change_operands = hand_over_fp32, .change_output = each_element(cut_to_fp16)},
      {.name = "f16_not_rounded", .kind = kOutput, .what = "an FP16 output is stored with FP32's digits", .schemes = half,
       .change_operands = hand_over_fp32, .change_output = each_element([](float x) { return x; })},
  };
}

}  // namespace narrowgate::selftest
