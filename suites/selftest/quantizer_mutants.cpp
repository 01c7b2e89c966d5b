// Codes and scales that come out wrong. The answer is computed from them, so only gate Q compares them with anything,
// and E with the data where they leave their bound.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/factors.h"
#include "kernels/quantize/integer.h"
#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {
namespace {

struct CodeRange {
  int lowest, highest;  // of stored codes
};
CodeRange code_range(const QuantizedMatrix& q) {
  if (q.element == nullptr) return q.zero_points.empty() ? CodeRange{-127, 127} : CodeRange{-128, 127};
  return {q.element->minimum - q.code_offset, q.element->maximum - q.code_offset};
}

int clamped(const QuantizedMatrix& q, double code) {
  const CodeRange range = code_range(q);
  return static_cast<int>(std::clamp(code, static_cast<double>(range.lowest), static_cast<double>(range.highest)));
}

View<const float> data_of_a(const Operands& operands, const SchemeInputs& inputs) {
  return operands.encoded_a.empty() ? inputs.a : operands.encoded_a.view();
}
View<const float> data_of_b(const Operands& operands, const SchemeInputs& inputs) {
  return operands.encoded_b.empty() ? inputs.b : operands.encoded_b.view();
}

// q.codes(row, col) = code(x / s, zero point), for operands that have codes; the quotient is one FP32 division.
template <class Code>
void recode(QuantizedMatrix& q, View<const float> x, const Code& code) {
  if (q.is_float()) return;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const float quotient = x(row, col) / (q.scale_at(row, col) * q.tensor_scale);
      q.codes(row, col) = static_cast<std::int8_t>(code(quotient, q.zero_point_at(row, col)));
    }
  }
}

// Both operands, by a code that depends on the matrix.
template <class Code>
OperandsChange recode_both(const Code& code) {
  return [code](Operands& operands, const SchemeInputs& inputs) {
    recode(operands.a, data_of_a(operands, inputs), [&](float x, int zero_point) { return code(operands.a, x, zero_point); });
    recode(operands.b, data_of_b(operands, inputs), [&](float x, int zero_point) { return code(operands.b, x, zero_point); });
    return true;
  };
}

// Integers as multiples of their last place: MXINT8 has six binary digits behind the point.
double in_last_places(const QuantizedMatrix& q, float quotient) {
  return q.element == nullptr ? quotient : quotient * formats::power_of_two(q.element->fraction_bits);
}

int floored(const QuantizedMatrix& q, float quotient, int zero_point) {
  return clamped(q, std::floor(in_last_places(q, quotient)) + zero_point);
}

int toward_zero(const QuantizedMatrix& q, float quotient, int zero_point) {
  if (!q.has_floating_elements()) return clamped(q, std::trunc(in_last_places(q, quotient)) + zero_point);
  return static_cast<int>(*formats::encode(*q.element, quotient, formats::Rounding::toward_zero));
}

// Where the quotient lies halfway, the neighbour of larger magnitude.
int ties_away(const QuantizedMatrix& q, float quotient, int zero_point) {
  if (!q.has_floating_elements()) return clamped(q, std::round(in_last_places(q, quotient)) + zero_point);
  const std::uint32_t below = *formats::encode(*q.element, quotient, formats::Rounding::toward_zero);
  if ((below & q.element->magnitude_mask()) == q.element->maximum_code()) return static_cast<int>(below);
  const double middle = (double{formats::decode(*q.element, below)} + double{formats::decode(*q.element, below + 1)}) / 2.0;
  return static_cast<int>(std::fabs(quotient) >= std::fabs(middle) ? below + 1 : below);
}

int wrapped(const QuantizedMatrix& q, float quotient, int zero_point) {
  if (!q.has_floating_elements()) {
    const int bits = q.element == nullptr ? 8 : q.element->bits;
    const auto code = static_cast<std::uint32_t>(static_cast<int>(std::nearbyint(in_last_places(q, quotient))) + zero_point);
    return formats::sign_extended(code & ((1u << bits) - 1), bits);
  }
  const std::uint32_t code = *formats::encode(*q.element, quotient);
  const bool is_beyond = std::fabs(quotient) > formats::maximum(*q.element);
  // The next code, as an increment of the magnitude alone would give it.
  return static_cast<int>(is_beyond ? (code & q.element->sign_bit()) | ((code + 1) & q.element->magnitude_mask()) : code);
}

int nearest(const QuantizedMatrix& q, float quotient, int zero_point) {
  if (!q.has_floating_elements()) return clamped(q, std::nearbyint(in_last_places(q, quotient)) + zero_point);
  return static_cast<int>(*formats::encode(*q.element, quotient));
}

void recode_nearest(QuantizedMatrix& q, View<const float> x) {
  recode(q, x, [&](float quotient, int zero_point) { return nearest(q, quotient, zero_point); });
}

bool one_scale_for_all_columns(Operands& operands, const SchemeInputs& inputs) {
  std::vector<float>& scales = operands.b.scales;
  std::fill(scales.begin(), scales.end(), *std::max_element(scales.begin(), scales.end()));
  recode_nearest(operands.b, data_of_b(operands, inputs));
  return true;
}

// The largest magnitude of a tensor half as loud, and codes cast to eight bits without a clamp.
bool stale_scales_wrap(Operands& operands, const SchemeInputs& inputs) {
  for (float& scale : operands.b.scales) scale *= 0.5f;
  recode(operands.b, data_of_b(operands, inputs),
         [&](float quotient, int zero_point) { return wrapped(operands.b, quotient, zero_point); });
  return true;
}

bool stale_scale_of_a(Operands& operands, const SchemeInputs& inputs) {
  for (float& scale : operands.a.scales) scale *= 0.75f;
  recode_nearest(operands.a, data_of_a(operands, inputs));
  return true;
}

// 128 steps to each side, so that −128 occurs and +128 does not fit.
bool use_minus_128(Operands& operands, const SchemeInputs& inputs) {
  for (float& scale : operands.b.scales) scale *= 127.0f / 128.0f;
  recode(operands.b, data_of_b(operands, inputs), [](float quotient, int) {
    return static_cast<int>(std::clamp(std::nearbyint(quotient), -128.0f, 127.0f));
  });
  return true;
}

// The largest magnitude of each block of x, by the block's index.
std::vector<float> block_maxima(const QuantizedMatrix& q, View<const float> x) {
  std::vector<float> maxima(q.scales.size(), 0.0f);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) {
      float& largest = maxima[q.block_at(row, col)];
      largest = std::max(largest, std::fabs(x(row, col)));
    }
  }
  return maxima;
}

bool keep_scales_in_fp32(Operands& operands, const SchemeInputs& inputs) {
  QuantizedMatrix& b = operands.b;
  const std::vector<float> maxima = block_maxima(b, data_of_b(operands, inputs));
  const auto steps = static_cast<float>(code_range(b).highest);
  for (std::size_t block = 0; block < maxima.size(); ++block) b.scales[block] = maxima[block] / steps;
  recode_nearest(b, data_of_b(operands, inputs));
  return true;
}

// log2f rounds the logarithm of the float just below a power of two up to a whole number.
bool exponents_by_log2f(Operands& operands, const SchemeInputs& inputs) {
  QuantizedMatrix& b = operands.b;
  const std::vector<float> maxima = block_maxima(b, data_of_b(operands, inputs));
  for (std::size_t block = 0; block < maxima.size(); ++block) {
    constexpr std::uint32_t kMantissa = 0x7FFFFFu;
    if ((std::bit_cast<std::uint32_t>(maxima[block]) & kMantissa) == kMantissa) b.scales[block] *= 2.0f;
  }
  recode_nearest(b, data_of_b(operands, inputs));
  return true;
}

bool halve_e8m0(Operands& operands, const SchemeInputs& inputs) {
  for (float& scale : operands.b.scales) scale *= 0.5f;
  recode_nearest(operands.b, data_of_b(operands, inputs));
  return true;
}

// z one step below where −lo/s rounds to.
bool lower_zero_points(Operands& operands, const SchemeInputs& inputs) {
  for (const auto& [matrix, x] : {std::pair{&operands.a, data_of_a(operands, inputs)}, std::pair{&operands.b, data_of_b(operands, inputs)}}) {
    if (matrix->zero_points.empty()) continue;
    for (std::int32_t& zero_point : matrix->zero_points) zero_point = std::max(zero_point - 1, code_range(*matrix).lowest);
    recode_nearest(*matrix, x);
  }
  return true;
}

// kept(i): whether of four elements the i-th stays.
template <class Kept>
Matrix<float> pruned_by(View<const float> b, const Kept& kept) {
  Matrix<float> pruned(b.rows, b.cols);
  for (std::int64_t k = 0; k < b.rows; ++k) {
    for (std::int64_t col = 0; col < b.cols; ++col) pruned(k, col) = kept(k, col) ? b(k, col) : 0.0f;
  }
  return pruned;
}

// Where of its four the element stands by magnitude, 0 the largest; of equals the lower k comes first.
std::int64_t rank_in_four(View<const float> b, std::int64_t k, std::int64_t col) {
  std::int64_t rank = 0;
  for (std::int64_t other = k / 4 * 4; other < std::min(k / 4 * 4 + 4, b.rows); ++other) {
    const float mine = std::fabs(b(k, col)), theirs = std::fabs(b(other, col));
    rank += theirs > mine || (theirs == mine && other < k);
  }
  return rank;
}

bool replace_pruned(Operands& operands, Matrix<float> pruned) {
  if (operands.b.is_float()) {
    operands.b.values = pruned;
  } else {
    auto quantized = quantize::symmetric_int8(std::as_const(pruned).view(), operands.b.granularity);
    if (!quantized) return false;
    operands.b = std::move(*quantized);
  }
  operands.encoded_b = std::move(pruned);
  return true;
}

bool prune_larger(Operands& operands, const SchemeInputs& inputs) {
  return replace_pruned(operands, pruned_by(inputs.b, [&](std::int64_t k, std::int64_t col) {
                          return k / 4 * 4 + 4 > inputs.b.rows || rank_in_four(inputs.b, k, col) >= 2;
                        }));
}

bool prune_by_place(Operands& operands, const SchemeInputs& inputs) {
  return replace_pruned(operands, pruned_by(inputs.b, [](std::int64_t k, std::int64_t) { return k % 4 < 2; }));
}

// The scheme's own factors: those that take A to what it encodes.
std::vector<float> smooth_factors_of(const Operands& operands, const SchemeInputs& inputs) {
  for (const auto rounding : {quantize::FactorRounding::fp32, quantize::FactorRounding::power_of_two}) {
    std::vector<float> factors = quantize::smooth_factors(inputs.calibration, inputs.b, rounding);
    const Matrix<float> divided = quantize::divided_columns(inputs.a, factors);
    if (std::ranges::equal(divided.flat(), operands.encoded_a.flat())) return factors;
  }
  return {};
}

bool swap_smooth_factors(Operands& operands, const SchemeInputs& inputs) {
  std::vector<float> factors = smooth_factors_of(operands, inputs);
  if (factors.empty()) return false;
  for (float& factor : factors) factor = 1.0f / factor;
  Matrix<float> a = quantize::divided_columns(inputs.a, factors), b = quantize::multiplied_rows(inputs.b, factors);
  auto quantized_a = quantize::symmetric_int8(std::as_const(a).view(), Granularity::row());
  auto quantized_b = quantize::symmetric_int8(std::as_const(b).view(), Granularity::column());
  if (!quantized_a || !quantized_b) return false;
  operands.a = std::move(*quantized_a);
  operands.b = std::move(*quantized_b);
  operands.encoded_a = std::move(a);
  operands.encoded_b = std::move(b);
  return true;
}

constexpr auto kQuantizer = MutantKind::quantizer;

std::vector<Mutant> rounding_mutants() {
  const std::vector<Distribution> ties = {Distribution::kTies, Distribution::kIntegers};
  return {
      {.name = "floor_for_round", .kind = kQuantizer, .what = "quotients are rounded down",
       .schemes = {"int8.column", "int8.token_zp", "w8a16.row.chain", "w4a16.g128.rtn.lanes", "mx.mxint8.rceil.chain"},
       .change_operands = recode_both(floored)},
      {.name = "toward_zero", .kind = kQuantizer, .what = "quotients are cut off",
       .schemes = {"int8.column", "w4a16.g128.rtn.chain", "fp8.e4m3.column.chain", "mx.mxfp8_e4m3.rceil.chain", "mx.mxfp4.rceil.chain"},
       .change_operands = recode_both(toward_zero)},
      {.name = "ties_away", .kind = kQuantizer, .what = "halves are rounded away from zero",
       .schemes = {"int8.column", "int8.token", "mx.mxint8.floor.chain", "mx.mxfp8_e4m3.rceil.chain", "mx.mxfp4.rceil.chain"},
       .distributions = ties, .change_operands = recode_both(ties_away)},
      {.name = "saturation_missing", .kind = kQuantizer, .what = "values beyond the range wrap around instead of being clamped",
       .schemes = {"int8.static_p9999", "mx.mxfp8_e4m3.floor.chain", "mx.mxfp6_e2m3.floor.chain", "mx.mxfp4.floor.chain"},
       .distributions = {Distribution::kNormal, Distribution::kHeavy}, .change_operands = recode_both(wrapped)},
      {.name = "minus_128_used", .kind = kQuantizer, .what = "the range is taken as 128 steps, and −128 is a code",
       .schemes = {"int8.tensor", "int8.column", "int8.token"}, .change_operands = use_minus_128},
      {.name = "zero_point_too_low", .kind = kQuantizer, .what = "zero points are rounded down one further",
       .schemes = {"int8.column_zp", "int8.token_zp", "w4a16.g128_zp.rtn.chain"}, .change_operands = lower_zero_points},
  };
}

std::vector<Mutant> scale_mutants() {
  return {
      {.name = "tensor_scale_for_columns", .kind = kQuantizer, .what = "one scale for all of B where each column has its own",
       .schemes = {"int8.column", "int8.token", "w8a16.row.chain", "fp8.e4m3.column.chain"},
       .change_operands = one_scale_for_all_columns},
      {.name = "stale_scale_wraps", .kind = kQuantizer, .what = "B has the scales of a tensor half as loud, and its codes wrap around",
       .schemes = {"int8.tensor", "int8.column", "w8a16.row.chain", "w4a16.g128.rtn.chain"}, .change_operands = stale_scales_wrap},
      {.name = "stale_scale_clamps", .kind = kQuantizer, .what = "A has the scale of a quieter tensor, and its codes saturate",
       .schemes = {"int8.column", "int8.token", "fp8.e4m3.token.chain"}, .change_operands = stale_scale_of_a},
      {.name = "fp16_scale_kept_in_fp32", .kind = kQuantizer, .what = "scales are not rounded to the FP16 they are stored in",
       .schemes = {"w4a16.g128.rtn.chain", "w4a16.g32.rtn.lanes", "w2a16.g64.rtn.chain", "w8a16.row.chain"},
       .change_operands = keep_scales_in_fp32},
      {.name = "exponent_by_log2f", .kind = kQuantizer, .what = "block exponents come from a rounded logarithm",
       .schemes = {"mx.mxfp8_e4m3.floor.chain", "mx.mxfp6_e3m2.floor.chain", "mx.mxfp4.floor.chain"},
       .distributions = {Distribution::kBelowPow2}, .change_operands = exponents_by_log2f},
      {.name = "e8m0_too_small", .kind = kQuantizer, .what = "block exponents are one too small, and codes saturate",
       .schemes = {"mx.mxfp8_e4m3.rceil.chain", "mx.mxfp6_e2m3.floor.chain", "mx.mxfp4.rceil.chain", "mx.mxint8.rceil.chain"},
       .change_operands = halve_e8m0},
  };
}

std::vector<Mutant> preparation_mutants() {
  const std::vector<std::string_view> pruned = {"int8.column_24", "sparse24.prune.fp32.chain", "sparse24.compressed.fp32.chain",
                                                "sparse24.compressed.int8_column"};
  return {
      {.name = "pruning_keeps_smaller", .kind = kQuantizer, .what = "of each four the two of smaller magnitude stay",
       .schemes = pruned, .change_operands = prune_larger},
      {.name = "pruning_by_place", .kind = kQuantizer, .what = "of each four the first two stay, whatever they are",
       .schemes = pruned, .change_operands = prune_by_place},
      {.name = "smooth_factors_swapped", .kind = kQuantizer, .what = "activations are multiplied and weights divided by the factors",
       .schemes = {"int8.smooth", "int8.smooth_pow2"}, .change_operands = swap_smooth_factors},
  };
}

}  // namespace

std::vector<Mutant> quantizer_mutants() {
  std::vector<Mutant> mutants = rounding_mutants();
  for (auto* list : {scale_mutants, preparation_mutants}) {
    for (Mutant& mutant : list()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace narrowgate::selftest
