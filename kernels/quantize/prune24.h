// 2:4 pruning along k: of each four consecutive rows of a column the two of larger magnitude stay.
#pragma once

#include "kernels/matrix.h"

namespace narrowgate::quantize {

// B[k×n] → a copy with the pruned elements set to +0. Equal magnitudes keep the lower k; a tail of r < 4 rows
// counts as padded with zeros, so with r ≤ 2 nothing of it is pruned. NaN must have been refused before.
Matrix<float> prune24(View<const float> b);

}  // namespace narrowgate::quantize
