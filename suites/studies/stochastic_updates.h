// A weight that is stored in a narrow format between many small updates.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/formats/scalar.h"
#include "kernels/random/philox.h"

namespace narrowgate::studies {

struct Updates {
  const formats::Format& format;
  formats::Rounding rounding;
  double start;       // a value of the format
  double step;        // added each time
  std::int64_t count;
  std::int64_t every;  // the weight is recorded before the first update and after each `every`
};

// Word i of the stream decides update i of stochastic rounding.
std::vector<double> updated_weights(const Updates& updates, const RandomStream& stream);

}  // namespace narrowgate::studies
