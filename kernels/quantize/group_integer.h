// Integers of 8, 4 and 2 bits in blocks of any granularity, symmetric or with a zero point; ternary and binary.
//
//   symmetric    s = max(RNE(max|x| / qmax), floor)                 q = clamp(rne(x / s), −qmax, qmax)
//   asymmetric   s = max(RNE(RNE(hi − lo) / (2ᵇ − 1)), floor)       lo = min(x, 0), hi = max(x, 0) over the block
//                z = clamp(rne(−lo / s), 0, 2ᵇ − 1)                 q = clamp(rne(x / s) + z, 0, 2ᵇ − 1)
//   ternary      s = max(RNE(mean|x|), floor)                       q = clamp(rne(x / s), −1, 1)
//   binary       s = max(RNE(mean|x|), floor)                       q = x < 0 ? −1 : 1
//
// The scale is rounded once, from the exact quotient, to its storage type, whose smallest normal number is the floor.
// x / s and −lo / s are FP32 divisions by the stored scale; adding z to a rounded quotient is exact.
// A mean is a double sum over the block in ascending row-major order, divided once.
#pragma once

#include <span>

#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::quantize {

enum class ScaleStorage { fp32, fp16 };

// The scale as stored, from its exact value; not finite when the storage type cannot hold it.
float stored_scale(double exact, ScaleStorage storage);

// Refused, by all: an element that is not finite; a scale beyond its storage type.
// `element` is INT8, INT4 or INT2 for the symmetric form, UINT8, UINT4 or UINT2 for the asymmetric one, whose codes
// are stored as they are, but for UINT8, stored as q − 128 with z − 128.
OrRefusal<QuantizedMatrix> symmetric_integer(View<const float> x, const formats::Format& element,
                                             Granularity granularity, ScaleStorage storage);
OrRefusal<QuantizedMatrix> asymmetric_integer(View<const float> x, const formats::Format& element,
                                              Granularity granularity, ScaleStorage storage);
OrRefusal<QuantizedMatrix> ternary(View<const float> x, Granularity granularity, ScaleStorage storage);
OrRefusal<QuantizedMatrix> binary(View<const float> x, Granularity granularity, ScaleStorage storage);

// The symmetric form with ranges calibrated elsewhere (calibration.h), one per block: s = max(RNE(range / qmax), floor).
OrRefusal<QuantizedMatrix> symmetric_integer_with_ranges(View<const float> x, const formats::Format& element,
                                                         Granularity granularity, ScaleStorage storage,
                                                         std::span<const float> ranges);

}  // namespace narrowgate::quantize
