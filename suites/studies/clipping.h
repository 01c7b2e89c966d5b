// Samples and errors for the study of clipping ranges.
#pragma once

#include <cstdint>

#include "kernels/formats/format.h"
#include "kernels/matrix.h"
#include "kernels/random/philox.h"

namespace narrowgate::studies {

// A Laplace variate of mean 0 and scale 1 (variance 2) for element `index` of the stream: an exponential one with a
// random sign. Exponential by von Neumann's comparisons: the first of a falling run of uniforms is kept when the run's
// length is odd; each rejection adds 1. Only comparisons and one sum, so the same bits on every machine.
// Source: von Neumann 1951, "Various techniques used in connection with random digits".
float laplace(const RandomStream& stream, std::uint64_t index);

// Mean of (x − x̂)² with x clipped to ±range and quantized symmetrically over it.
double clipped_mean_square_error(View<const float> x, const formats::Format& element, float range);

}  // namespace narrowgate::studies
