// The lists behind kernel.h, read from registry.def.
#include <algorithm>
#include <stdexcept>

#include "kernels/kernel.h"

#define SUPPORT(folder, name, file)
#define CUDA_SUPPORT(folder, name, file)
#define SCHEME(family, name, file) namespace narrowgate::family { extern const Scheme name; }
#define CPU_KERNEL(family, name, file) namespace narrowgate::family { extern const Kernel cpu_##name; }
#ifdef NARROWGATE_HAS_CUDA
#define CUDA_KERNEL(family, name, file) \
  namespace narrowgate::family { extern const Kernel simt_##name, simt_checked_##name, cuda_##name; }
#else
#define CUDA_KERNEL(family, name, file) \
  namespace narrowgate::family { extern const Kernel simt_##name, simt_checked_##name; }
#endif
#ifdef NARROWGATE_HAS_PEERS
#define PEER_KERNEL(family, name, file) namespace narrowgate::family { extern const Kernel cuda_##name; }
#else
#define PEER_KERNEL(family, name, file)
#endif
#include "kernels/registry.def"
#undef SCHEME
#undef CPU_KERNEL
#undef CUDA_KERNEL
#undef PEER_KERNEL

namespace narrowgate {
namespace {

void complete(const Scheme& scheme, std::span<const float> bias, Operands& operands) {
  operands.accumulation = scheme.accumulation;
  operands.output = scheme.output;
  operands.is_compressed24 = scheme.storage == Storage::kCompressed24;
  if (scheme.has_bias) operands.bias.assign(bias.begin(), bias.end());
}

// What the SIMT executor checks access by access; above, the fast mode alone would take its time.
constexpr std::int64_t kLargestCheckedExtent = 128;

template <const Kernel& kFast, const Kernel& kChecked>
Launch bind_simt(const Operands& operands, View<float> c, Memory& memory) {
  const Shape shape = operands.shape();
  const bool is_small = std::max({shape.m, shape.n, shape.k}) <= kLargestCheckedExtent;
  return (is_small ? kChecked : kFast).bind(operands, c, memory);
}

// The two modes of one source as the one kernel that they are.
template <const Kernel& kFast, const Kernel& kChecked>
const Kernel* simt_kernel() {
  static const Kernel kernel = [] {
    Kernel both = kFast;
    both.bind = bind_simt<kFast, kChecked>;
    return both;
  }();
  return &kernel;
}

}  // namespace

OrRefusal<Operands> encode_operands(const Scheme& scheme, const SchemeInputs& inputs, std::span<const float> bias) {
  OrRefusal<Operands> operands = scheme.quantization.fast(inputs);
  if (operands) complete(scheme, bias, *operands);
  return operands;
}

Operands replay_operands(const Scheme& scheme, const SchemeInputs& inputs, std::span<const float> bias) {
  Operands operands = scheme.quantization.replay(inputs);
  complete(scheme, bias, operands);
  return operands;
}

std::span<const Scheme* const> all_schemes() {
  static const Scheme* const schemes[] = {
#define SCHEME(family, name, file) &family::name,
#define CPU_KERNEL(family, name, file)
#define CUDA_KERNEL(family, name, file)
#define PEER_KERNEL(family, name, file)
#include "kernels/registry.def"
#undef SCHEME
#undef CPU_KERNEL
#undef CUDA_KERNEL
#undef PEER_KERNEL
  };
  return schemes;
}

std::span<const Kernel* const> all_kernels() {
  static const Kernel* const kernels[] = {
#define SCHEME(family, name, file)
#define CPU_KERNEL(family, name, file) &family::cpu_##name,
#ifdef NARROWGATE_HAS_CUDA
#define CUDA_KERNEL(family, name, file) \
  simt_kernel<family::simt_##name, family::simt_checked_##name>(), &family::cuda_##name,
#else
#define CUDA_KERNEL(family, name, file) simt_kernel<family::simt_##name, family::simt_checked_##name>(),
#endif
#ifdef NARROWGATE_HAS_PEERS
#define PEER_KERNEL(family, name, file) &family::cuda_##name,
#else
#define PEER_KERNEL(family, name, file)
#endif
#include "kernels/registry.def"
#undef SCHEME
#undef CPU_KERNEL
#undef CUDA_KERNEL
#undef PEER_KERNEL
  };
  return kernels;
}

const Scheme* find_scheme(std::string_view id) {
  const auto schemes = all_schemes();
  const auto found = std::find_if(schemes.begin(), schemes.end(), [&](const Scheme* scheme) { return scheme->id == id; });
  return found == schemes.end() ? nullptr : *found;
}

const Kernel& replay_kernel(const Scheme& scheme) {
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->name == "cpu.scalar" && kernel->computes(scheme)) return *kernel;
  }
  throw std::logic_error("the scheme " + std::string(scheme.id) + " has no cpu.scalar, the replay oracle");
}

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::kCpu: return "cpu";
    case Backend::kSimt: return "simt";
    case Backend::kCuda: return "cuda";
  }
  return "unknown";
}

std::string_view to_string(Contract contract) { return contract == Contract::kExact ? "exact" : "bounded"; }

}  // namespace narrowgate
