// CUDA's words for a kernel source that is compiled twice: by nvcc for a device, and by the host compiler for the
// SIMT executor. A kernel file includes this header and nothing of CUDA's own; barriers, warp collectives, atomics,
// _rn arithmetic, bit operations and FP16 storage have CUDA's names. Tensor cores are in tensor_core.h.
//
//   NARROWGATE_SHARED(float, tile, [16][17]);   a __shared__ array; on the host checked and poisoned
//   NARROWGATE_DYNAMIC_SHARED(int, words);      the launch's dynamic shared memory
//   launch({"int8.tiled", grid, block}, stream, kernel<true>, arguments…);
//   load_vector<V>(row, i), store_vector(row, i, v)   one access of 4, 8 or 16 bytes to a row of shared memory
//   e4m3_to_float(code), float_to_e4m3(x)…            FP8, the same bits on both sides
//   NARROWGATE_UNROLL                           before a loop of constant length
//   NARROWGATE_DEVICE_KERNEL(tiled) = {…};      defines cuda_tiled, simt_tiled or simt_checked_tiled
//
// On the host a kernel file is compiled twice: as it is, and with NARROWGATE_SIMT_CHECKED, where shared memory also
// knows who touched it last (checked_array.h, shadow.h).
#pragma once

#include "kernels/kernel.h"
#include "kernels/simt/executor.h"
#include "kernels/simt/fp8_words.h"
#include "kernels/simt/vector_access.h"

#ifdef __CUDACC__

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/cuda/device.h"

#define NARROWGATE_DEVICE_KERNEL(name) \
  extern const Kernel cuda_##name;     \
  const Kernel cuda_##name
#define NARROWGATE_DEVICE_NAME(name) "cuda." name
#define NARROWGATE_UNROLL _Pragma("unroll")
#define NARROWGATE_SHARED(type, name, extents) __shared__ __align__(16) type name extents
#define NARROWGATE_DYNAMIC_SHARED(type, name)                             \
  extern __shared__ __align__(16) unsigned char narrowgate_dynamic_shared[]; \
  type* const name = reinterpret_cast<type*>(narrowgate_dynamic_shared)

namespace narrowgate {

inline constexpr Backend kDeviceBackend = Backend::kCuda;
using cuda::dynamic_shared_limit;
using cuda::multiprocessor_count;

template <class... Parameters, class... Arguments>
void launch(const simt::LaunchShape& shape, Stream stream, void (*kernel)(Parameters...), Arguments... arguments) {
  const dim3 grid(shape.grid.x, shape.grid.y, shape.grid.z);
  const dim3 block(shape.block.x, shape.block.y, shape.block.z);
  constexpr std::size_t kAlwaysAllowed = 48 * 1024;
  if (shape.dynamic_shared_bytes > kAlwaysAllowed) {
    cuda::allow_dynamic_shared(reinterpret_cast<const void*>(kernel), shape.dynamic_shared_bytes, shape.kernel);
  }
  kernel<<<grid, block, shape.dynamic_shared_bytes, static_cast<cudaStream_t>(stream)>>>(arguments...);
  cuda::check_launch(shape.kernel);
}

}  // namespace narrowgate

#else

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef NARROWGATE_SIMT_CHECKED
#include "kernels/simt/checked_array.h"
#endif
#include "kernels/simt/atomics.h"
#include "kernels/simt/device_math.h"
#include "kernels/simt/half_words.h"
#include "kernels/simt/shared_array.h"
#include "kernels/simt/warp.h"

// Everything that the two modes of the host differ in. Nothing else may: inline functions are shared between them.
#ifdef NARROWGATE_SIMT_CHECKED
#define NARROWGATE_DEVICE_KERNEL(name)     \
  extern const Kernel simt_checked_##name; \
  const Kernel simt_checked_##name
#define NARROWGATE_SHARED_REF checked_array
#define NARROWGATE_DYNAMIC_SHARED(type, name) const auto name = ::narrowgate::simt::checked_dynamic_array<type>(#name)
#else
#define NARROWGATE_DEVICE_KERNEL(name) \
  extern const Kernel simt_##name;     \
  const Kernel simt_##name
#define NARROWGATE_SHARED_REF shared_array
#define NARROWGATE_DYNAMIC_SHARED(type, name) const ::narrowgate::simt::DynamicSharedRef<type> name(#name)
#endif
#define NARROWGATE_DEVICE_NAME(name) "simt." name
// Rolled, the host compiler proves the index of the loop in bounds and drops those checks.
#define NARROWGATE_UNROLL
// The static's address names the declaration, one for each instantiation of a template.
#define NARROWGATE_SHARED(type, name, extents)           \
  static constexpr char narrowgate_site_of_##name = 0;   \
  const auto name = ::narrowgate::simt::NARROWGATE_SHARED_REF<type extents>(&narrowgate_site_of_##name, #name)

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define threadIdx (::narrowgate::simt::current_thread().thread)
#define blockIdx (::narrowgate::simt::current_thread().block)
#define blockDim (::narrowgate::simt::current_thread().block_size)
#define gridDim (::narrowgate::simt::current_thread().grid_size)

inline void __syncthreads() { ::narrowgate::simt::barrier(); }

namespace narrowgate {

inline constexpr Backend kDeviceBackend = Backend::kSimt;
inline std::size_t dynamic_shared_limit() { return simt::kSharedBytes; }
inline unsigned multiprocessor_count() { return 4; }  // enough that grids sized by it have several blocks

template <class... Parameters, class... Arguments>
void launch(const simt::LaunchShape& shape, Stream, void (*kernel)(Parameters...), Arguments... arguments) {
  simt::execute(shape, [=] { kernel(arguments...); });
}

}  // namespace narrowgate

#endif
