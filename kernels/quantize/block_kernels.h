// The two inner loops of every block-scaled quantizer, vectorized: magnitudes of blocks, and codes under scales.
//
// A row segment is cut either into runs of `length` elements that share a scale (the last may be shorter), or gives
// each element a scale of its own, that of its column.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/formats/format.h"

namespace narrowgate::quantize {

// maxima[i] = max(maxima[i], max|x|) over run i. A NaN or an infinity leaves a maximum that is not finite.
void update_run_maxima(const float* x, std::size_t count, std::size_t length, float* maxima);
void update_column_maxima(const float* x, std::size_t count, float* maxima);

// codes = element(x / scale), saturating, nearest even. The division is a true one; by a power of two it is done as
// a multiplication, which gives the same bits. x is finite and scales are positive. `element` is a signed floating
// format of up to 8 bits, or MXINT8.
void encode_runs(const formats::Format& element, const float* x, std::size_t count, std::size_t length,
                 const float* scales, std::uint8_t* codes);
void encode_columns(const formats::Format& element, const float* x, std::size_t count, const float* scales,
                    std::uint8_t* codes);

}  // namespace narrowgate::quantize
