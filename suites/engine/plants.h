// Bugs that can be planted into the operands a kernel sees, behind the back of the oracle, to show the gates at work:
// `narrowgate run smoke --plant zero_point_dropped`. A planted run is marked as such and is never accepted.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "kernels/quantize/operands.h"

namespace narrowgate {

struct Plant {
  std::string_view name;
  std::string_view what;
  // Changes the operands; false where the bug has no meaning for them.
  std::function<bool(Operands& operands)> apply;
  // Changes the output after the kernel has run; false where there is nothing to change.
  std::function<bool(Matrix<float>& output)> spoil;
};

std::span<const Plant> all_plants();
const Plant* find_plant(std::string_view name);

}  // namespace narrowgate
