// Which instruction set the host kernels run with here, and whether this CPU can run them at all.
#pragma once

#include <optional>
#include <string>

namespace narrowgate {

// Highway's name of the target that its dispatch picks: "AVX2", "AVX3", "NEON".
std::string simd_target();

// Why this CPU cannot run the program, in words; nothing when it can. Call it before any other code of the library.
std::optional<std::string> missing_cpu_features();

// True when subnormals survive arithmetic: the flush-to-zero and denormals-are-zero modes are off.
bool subnormals_are_honoured();

}  // namespace narrowgate
