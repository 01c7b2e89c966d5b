// One quantizer for every format whose codes are element(x / scale) with a scale that is a function of max|x|.
//
// What differs between FP8 with FP32 scales, MX and NVFP4 is the element format, the granularity and the rule from
// maximum to scale; those are the arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kernels/formats/format.h"
#include "kernels/quantize/quantized_matrix.h"

namespace narrowgate::quantize {

// Replaces maxima of blocks (finite, ≥ 0) by their decode scales (positive), in place. Called concurrently.
using ScaleRule = std::function<void(std::span<float> maxima_to_scales)>;

struct BlockScaling {
  const formats::Format& element;
  Granularity granularity;
  ScaleRule rule;
  float tensor_scale = 1.0f;  // codes are computed with fl(scale · tensor scale)
};

// Refused: an element that is not finite. The form with outputs writes rows·cols codes, row-major, and one scale a
// block; it allocates nothing that grows with the matrix unless blocks span all rows.
OrRefusal<void> quantize_blocks_into(View<const float> x, const BlockScaling& scaling, std::uint8_t* codes,
                                     std::span<float> scales);
OrRefusal<QuantizedMatrix> quantize_blocks(View<const float> x, const BlockScaling& scaling);

// max|x| over the whole matrix; not finite when an element is not.
float maximum_magnitude(View<const float> x);

// The matrix that the codes stand for, in FP32: RNE of the exact value where it does not fit.
Matrix<float> dequantize(const QuantizedMatrix& quantized);

// Storage cost: codes, scales and zero points, in bits for each element.
double bits_per_weight(const QuantizedMatrix& quantized);

}  // namespace narrowgate::quantize
