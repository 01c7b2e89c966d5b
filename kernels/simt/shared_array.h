// The host's side of __shared__ arrays: the same [] syntax, every index checked.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/simt/executor.h"

namespace narrowgate::simt {

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
