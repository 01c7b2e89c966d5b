// Sums kept in a narrow format: each step is rounded, so small terms stop counting.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/formats/format.h"

namespace narrowgate::studies {

// sum + term rounded to nearest even in the format, saturating. Both are values of the format.
double narrow_sum(const formats::Format& format, double sum, double term);

// The sum of `count` ones for each of the ascending counts, one rounded addition after another from 0.
std::vector<double> sums_of_ones(const formats::Format& format, const std::vector<std::int64_t>& counts);
std::vector<double> sums_of_ones_fp32(const std::vector<std::int64_t>& counts);

}  // namespace narrowgate::studies
