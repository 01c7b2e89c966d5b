// Shapes, owned matrices and views. Everything is logically row-major.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/host_device.h"

namespace narrowgate {

// C[m×n] = A[m×k] · B[k×n]
struct Shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A borrowed row-major matrix; `ld` is the distance between rows in elements (ld >= cols).
template <class T>
struct View {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 0;

  NARROWGATE_HOST_DEVICE T& operator()(std::int64_t row, std::int64_t col) const { return data[row * ld + col]; }
  NARROWGATE_HOST_DEVICE T* row(std::int64_t index) const { return data + index * ld; }
  operator View<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, rows, cols, ld};
  }
};

// Memory aligned to a cache line, so vector loads of whole rows do not split.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, kAlignment); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

// An owned, dense matrix (ld == cols), zero-initialized.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t cols)
      : rows_(rows), cols_(cols), elements_(static_cast<std::size_t>(rows * cols)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t size() const { return rows_ * cols_; }
  bool empty() const { return elements_.empty(); }

  T& operator()(std::int64_t row, std::int64_t col) { return elements_[static_cast<std::size_t>(row * cols_ + col)]; }
  const T& operator()(std::int64_t row, std::int64_t col) const {
    return elements_[static_cast<std::size_t>(row * cols_ + col)];
  }
  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  std::span<T> flat() { return elements_; }
  std::span<const T> flat() const { return elements_; }
  View<T> view() { return {elements_.data(), rows_, cols_, cols_}; }
  View<const T> view() const { return {elements_.data(), rows_, cols_, cols_}; }

 private:
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  AlignedVector<T> elements_;
};

}  // namespace narrowgate
