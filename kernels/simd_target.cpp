#include "kernels/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd_target.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {
const char* this_target() { return hwy::TargetName(HWY_TARGET); }
}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate {

HWY_EXPORT(this_target);

std::string simd_target() { return HWY_DYNAMIC_DISPATCH(this_target)(); }

std::optional<std::string> missing_cpu_features() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return "this CPU has no AVX2 or no FMA; narrowgate is built for x86-64-v3 (Haswell, Zen and later)";
  }
#endif
  return std::nullopt;
}

bool subnormals_are_honoured() {
  volatile float smallest_normal = 0x1p-126f;
  volatile float half = smallest_normal * 0.5f;  // flushed to zero where FTZ is on
  volatile float back = half * 2.0f;             // read as zero where DAZ is on
  return half > 0.0f && back == smallest_normal;
}

}  // namespace narrowgate
#endif
