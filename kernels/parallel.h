// The one parallel loop. Kept apart from SIMD code: a loop body outlined by OpenMP does not carry a target attribute
// on every compiler, so bodies only call functions that do.
#pragma once

#include <cstdint>

namespace narrowgate {

// Calls body(index) for index in [0, count), on all threads, in no order. The body must not throw.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t index = 0; index < count; ++index) body(index);
}

}  // namespace narrowgate
