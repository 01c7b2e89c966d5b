#include "suites/engine/plants.h"

#include <algorithm>
#include <array>
#include <limits>

namespace narrowgate {
namespace {

bool leave_operands(Operands&) { return false; }
bool leave_output(Matrix<float>&) { return false; }

bool drop_zero_point(Operands& operands) {
  if (operands.a.zero_points.empty()) return false;
  std::fill(operands.a.zero_points.begin(), operands.a.zero_points.end(), 0);
  return true;
}

// The last column decodes with the scale of the column before it, as if it had not been refreshed.
bool stale_last_scale(Operands& operands) {
  auto& scales = operands.b.scales;
  if (operands.b.is_float() || scales.size() < 2 || scales.back() == scales[scales.size() - 2]) return false;
  scales.back() = scales[scales.size() - 2];
  return true;
}

bool one_nan(Matrix<float>& output) {
  output(output.rows() / 2, output.cols() / 2) = std::numeric_limits<float>::quiet_NaN();
  return true;
}

const std::array kPlants = {
    Plant{"zero_point_dropped", "the zero point of A is not subtracted", drop_zero_point, leave_output},
    Plant{"stale_scale", "the last column of B decodes with its neighbour's scale", stale_last_scale, leave_output},
    Plant{"one_nan", "one element of the output is NaN", leave_operands, one_nan},
};

}  // namespace

std::span<const Plant> all_plants() { return kPlants; }

const Plant* find_plant(std::string_view name) {
  const auto found = std::find_if(kPlants.begin(), kPlants.end(), [&](const Plant& plant) { return plant.name == name; });
  return found == kPlants.end() ? nullptr : &*found;
}

}  // namespace narrowgate
