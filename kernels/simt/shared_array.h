// The host's side of __shared__ arrays: the same [] syntax, every index checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/simt/executor.h"

namespace narrowgate::simt {

// The address of `count` elements from `index` on, as one access: inside the array and aligned to its size.
template <class T>
T* vector_address(T* data, std::int64_t index, std::int64_t count, std::int64_t extent, const char* name) {
  const std::int64_t last = index + count - 1;
  if (index < 0 || last >= extent) [[unlikely]] report_out_of_bounds(name, index < 0 ? index : last, extent);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (reinterpret_cast<std::uintptr_t>(data + index) % bytes != 0) [[unlikely]] report_misaligned(name, index, bytes);
  return data + index;
}

template <class V, class T>
V load_from(T* data, std::int64_t index, std::int64_t extent, const char* name) {
  static_assert(sizeof(V) % sizeof(T) == 0);
  V value;
  std::memcpy(&value, vector_address(data, index, sizeof(V) / sizeof(T), extent, name), sizeof(V));
  return value;
}

template <class V, class T>
void store_to(T* data, std::int64_t index, std::int64_t extent, const char* name, const V& value) {
  static_assert(sizeof(V) % sizeof(T) == 0);
  std::memcpy(vector_address(data, index, sizeof(V) / sizeof(T), extent, name), &value, sizeof(V));
}

// Refers to an array T[N] or T[N][M] of the running block.
template <class Array>
class SharedRef;

template <class T, std::size_t Extent>
class SharedRef<T[Extent]> {
 public:
  using Scalar = std::remove_all_extents_t<T>;

  SharedRef(Scalar* data, const char* name) : data_(data), name_(name) {}

  decltype(auto) operator[](std::int64_t index) const {
    if (static_cast<std::uint64_t>(index) >= Extent) [[unlikely]] report_out_of_bounds(name_, index, Extent);
    if constexpr (std::is_array_v<T>) {
      return SharedRef<T>(data_ + index * static_cast<std::int64_t>(sizeof(T) / sizeof(Scalar)), name_);
    } else {
      return (data_[index]);
    }
  }

  template <class V>
  V load(std::int64_t index) const {
    static_assert(!std::is_array_v<T>, "a vector access is to a row");
    return load_from<V>(data_, index, Extent, name_);
  }
  template <class V>
  void store(std::int64_t index, const V& value) const {
    static_assert(!std::is_array_v<T>, "a vector access is to a row");
    store_to(data_, index, Extent, name_, value);
  }

 private:
  Scalar* data_;
  const char* name_;
};

// A dynamic shared array: its extent is the launch's byte count.
template <class T>
class DynamicSharedRef {
 public:
  explicit DynamicSharedRef(const char* name)
      : data_(static_cast<T*>(dynamic_shared_memory())),
        extent_(static_cast<std::int64_t>(dynamic_shared_bytes() / sizeof(T))),
        name_(name) {}

  T& operator[](std::int64_t index) const {
    if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(extent_)) [[unlikely]] {
      report_out_of_bounds(name_, index, extent_);
    }
    return data_[index];
  }

  template <class V>
  V load(std::int64_t index) const {
    return load_from<V>(data_, index, extent_, name_);
  }
  template <class V>
  void store(std::int64_t index, const V& value) const {
    store_to(data_, index, extent_, name_, value);
  }

 private:
  T* data_;
  std::int64_t extent_;
  const char* name_;
};

template <class Array>
SharedRef<Array> shared_array(const void* site, const char* name) {
  using Scalar = std::remove_all_extents_t<Array>;
  return SharedRef<Array>(static_cast<Scalar*>(shared_memory(site, sizeof(Array))), name);
}

}  // namespace narrowgate::simt
