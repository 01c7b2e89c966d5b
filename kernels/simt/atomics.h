// The host's side of CUDA's atomics, on shared and global memory: blocks run in parallel, so they are real ones.
// Each returns what was there before.
#pragma once

#include <atomic>

namespace narrowgate::simt {

// Stores what `change` makes of the old value, or tries again when another thread was quicker.
template <class T, class Change>
T atomic_update(T* address, Change change) {
  const std::atomic_ref<T> cell(*address);
  T old = cell.load();
  while (!cell.compare_exchange_weak(old, change(old))) {
  }
  return old;
}

}  // namespace narrowgate::simt

inline int atomicAdd(int* address, int value) { return std::atomic_ref<int>(*address).fetch_add(value); }
inline unsigned atomicAdd(unsigned* address, unsigned value) {
  return std::atomic_ref<unsigned>(*address).fetch_add(value);
}
inline float atomicAdd(float* address, float value) {
  return narrowgate::simt::atomic_update(address, [value](float old) { return old + value; });
}
inline int atomicMax(int* address, int value) {
  return narrowgate::simt::atomic_update(address, [value](int old) { return old < value ? value : old; });
}
inline unsigned atomicMax(unsigned* address, unsigned value) {
  return narrowgate::simt::atomic_update(address, [value](unsigned old) { return old < value ? value : old; });
}
inline int atomicMin(int* address, int value) {
  return narrowgate::simt::atomic_update(address, [value](int old) { return value < old ? value : old; });
}
inline unsigned atomicMin(unsigned* address, unsigned value) {
  return narrowgate::simt::atomic_update(address, [value](unsigned old) { return value < old ? value : old; });
}
inline unsigned atomicCAS(unsigned* address, unsigned expected, unsigned value) {
  std::atomic_ref<unsigned>(*address).compare_exchange_strong(expected, value);
  return expected;
}
