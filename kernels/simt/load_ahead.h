// A load from global memory that begins where it is written: before the reads of shared memory and the arithmetic that
// hide it. The compiler is free to move an ordinary one down to its use, and does.
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

namespace narrowgate {

// T: 4, 8 or 16 bytes, aligned to its size.
template <class T>
NARROWGATE_DEVICE T load_ahead(const T* from) {
#ifdef __CUDACC__
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  union {
    std::uint32_t words[sizeof(T) / 4];
    T value;
  } loaded;
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(loaded.words[0]) : "l"(from) : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(loaded.words[0]), "=r"(loaded.words[1]) : "l"(from) : "memory");
  } else {
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(loaded.words[0]), "=r"(loaded.words[1]), "=r"(loaded.words[2]), "=r"(loaded.words[3])
                 : "l"(from) : "memory");
  }
  return loaded.value;
#else
  return *from;
#endif
}

}  // namespace narrowgate
