// The quantizers replayed: one element at a time, from the definition, with none of the fast code shared.
// Gate Q compares codes, scales and zero points with these bit for bit.
//
// Each replay takes the arguments of the quantizer of the same name and follows the formulas in that one's header
// under kernels/quantize. Its input is one that the quantizer did not refuse.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/quantize/factors.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/hadamard.h"
#include "kernels/quantize/quantized_matrix.h"
#include "kernels/quantize/weight_quantizers.h"

namespace narrowgate::reference {

// quantize/integer.h
enum class IntegerRange { kSymmetric, kAsymmetric };
QuantizedMatrix replay_int8(View<const float> x, Granularity granularity, IntegerRange range);

// quantize/group_integer.h
QuantizedMatrix replay_symmetric_integer(View<const float> x, const formats::Format& element, Granularity granularity,
                                         quantize::ScaleStorage storage);
QuantizedMatrix replay_symmetric_integer_with_ranges(View<const float> x, const formats::Format& element,
                                                     Granularity granularity, quantize::ScaleStorage storage,
                                                     std::span<const float> ranges);
QuantizedMatrix replay_asymmetric_integer(View<const float> x, const formats::Format& element, Granularity granularity,
                                          quantize::ScaleStorage storage);
QuantizedMatrix replay_ternary(View<const float> x, Granularity granularity, quantize::ScaleStorage storage);
QuantizedMatrix replay_binary(View<const float> x, Granularity granularity, quantize::ScaleStorage storage);

// quantize/calibration.h
float replay_percentile_range(std::span<const float> x, double p);
float replay_least_squares_range(std::span<const float> x, const formats::Format& element);

// Every element rounded to FP16, ties to even: how activations of weight-only schemes are stored. |x| ≤ 65504.
Matrix<float> replay_fp16(View<const float> x);

// quantize/scaled_float.h, nvfp4.h, mx.h and mx_mse.h
QuantizedMatrix replay_scaled_float(View<const float> x, const formats::Format& element, Granularity granularity);
QuantizedMatrix replay_nvfp4(View<const float> x, quantize::BlockAxis axis);
QuantizedMatrix replay_mx(View<const float> x, const formats::Format& element, quantize::MxRule rule,
                          quantize::BlockAxis axis);
QuantizedMatrix replay_mx_mse(View<const float> x, const formats::Format& element, quantize::BlockAxis axis);

// quantize/prune24.h: the two largest of each four, found by sorting.
Matrix<float> replay_prune24(View<const float> b);

// quantize/hadamard.h
Matrix<float> replay_hadamard_rotated(View<const float> x, quantize::BlockAxis axis, std::int64_t n,
                                      const RandomStream& signs);

// quantize/factors.h
float replay_rounded_factor(double exact, quantize::FactorRounding rounding);
std::vector<float> replay_smooth_factors(View<const float> x, View<const float> w, quantize::FactorRounding rounding);
Matrix<float> replay_divided_columns(View<const float> x, std::span<const float> factors);
Matrix<float> replay_multiplied_rows(View<const float> w, std::span<const float> factors);

// quantize/weight_quantizers.h
QuantizedMatrix replay_mse_clipped_integer(View<const float> b, const formats::Format& element, std::int64_t group);
QuantizedMatrix replay_hqq(View<const float> b, const formats::Format& element, std::int64_t group);
quantize::ScaledWeights replay_awq(View<const float> b, View<const float> x, const formats::Format& element,
                                   std::int64_t group);
QuantizedMatrix replay_gptq(View<const float> b, View<const float> x, const formats::Format& element,
                            std::int64_t group);

// Where two quantizations of one matrix first differ, in words; empty when they are equal to the bit. Compared are
// all fields: codes or values, scales, zero points of both kinds, and what says how to read them.
std::string first_difference(const QuantizedMatrix& actual, const QuantizedMatrix& expected);

}  // namespace narrowgate::reference
