// Copies from global to shared memory that go on while a thread computes (cp.async, sm_80 on). Older devices and the
// host copy at once, which a correct pipeline cannot tell: it reads after wait_copies() and a barrier.
#pragma once

#include "kernels/simt/device_words.h"

namespace narrowgate {

// Sixteen bytes to shared_row[index…]; both addresses are multiples of 16.
template <class Row, class T>
NARROWGATE_DEVICE void start_copy(Row shared_row, int index, const T* global) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared_row)) + sizeof(*shared_row) * static_cast<unsigned>(index);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global));
#else
  struct alignas(16) SixteenBytes {
    std::uint32_t words[4];
  };
  store_vector(shared_row, index, *reinterpret_cast<const SixteenBytes*>(global));
#endif
}

// Ends a group of copies.
NARROWGATE_DEVICE inline void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
#endif
}

// Waits until at most `kPending` of this thread's groups are unfinished.
template <int kPending>
NARROWGATE_DEVICE void wait_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending));
#endif
}

}  // namespace narrowgate
