// How much of a matrix's energy, Σx², pruning takes away.
#pragma once

#include "kernels/matrix.h"

namespace narrowgate::studies {

// Of 2:4 pruning along the rows, as a share of Σx²; 0 for a matrix of zeros.
double energy_dropped_by_24(View<const float> x);

// Of setting the half of smallest magnitude to zero, wherever it stands: the least that any choice of half can drop.
double energy_dropped_by_smallest_half(View<const float> x);

}  // namespace narrowgate::studies
