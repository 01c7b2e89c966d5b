// The checked mode's side of __shared__ arrays: the same [] syntax as shared_array.h, but what [] gives is a stand-in
// for the element, which tells the shadow of every read and write.
//
// A kernel notices in two places: `auto x = tile[i]` would keep the stand-in (name the type), and there is no reference
// to an element (`tile[i].x`; load the whole, or use load_vector). &tile[i] serves atomics alone.
// No type here has the name of one in shared_array.h: a program holds a kernel in both modes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/simt/atomics.h"
#include "kernels/simt/shadow.h"
#include "kernels/simt/shared_array.h"

namespace narrowgate::simt {

template <class T, std::size_t kCells>
class CheckedPointer {
 public:
  CheckedPointer(T* address, const char* name, Shadow* shadow) : address_(address), name_(name), shadow_(shadow) {}
  T* for_atomic() const {
    shadow_->update_atomically<kCells>({name_, address_, sizeof(T)});
    return address_;
  }

 private:
  T* address_;
  const char* name_;
  Shadow* shadow_;
};

template <class T, std::size_t kCells>
class CheckedElement {
 public:
  CheckedElement(T* address, const char* name, Shadow* shadow) : address_(address), name_(name), shadow_(shadow) {}
  CheckedElement(const CheckedElement&) = default;

  operator T() const {
    shadow_->read<kCells>({name_, address_, sizeof(T)});
    return *address_;
  }
  const CheckedElement& operator=(const T& value) const {
    shadow_->write<kCells>({name_, address_, sizeof(T)});
    *address_ = value;
    return *this;
  }
  const CheckedElement& operator=(const CheckedElement& other) const { return *this = other.get(); }
  const CheckedElement& operator+=(const T& value) const { return set(get() + value); }
  const CheckedElement& operator-=(const T& value) const { return set(get() - value); }
  const CheckedElement& operator*=(const T& value) const { return set(get() * value); }
  const CheckedElement& operator|=(const T& value) const { return set(get() | value); }
  const CheckedElement& operator&=(const T& value) const { return set(get() & value); }
  const CheckedElement& operator^=(const T& value) const { return set(get() ^ value); }
  const CheckedElement& operator++() const { return *this += T{1}; }
  const CheckedElement& operator--() const { return *this -= T{1}; }
  CheckedPointer<T, kCells> operator&() const { return {address_, name_, shadow_}; }

 private:
  T get() const { return *this; }
  template <class Wider>
  const CheckedElement& set(Wider value) const {
    return *this = static_cast<T>(value);
  }

  T* address_;
  const char* name_;
  Shadow* shadow_;
};

// What SharedRef and DynamicSharedRef do for a row, told to the shadow. A vector access is one of each element.
template <class T, std::size_t kCells>
class CheckedRow {
 public:
  CheckedRow(T* data, std::int64_t extent, const char* name, Shadow* shadow)
      : data_(data), extent_(extent), name_(name), shadow_(shadow) {}

  CheckedElement<T, kCells> operator[](std::int64_t index) const {
    if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(extent_)) [[unlikely]] {
      report_out_of_bounds(name_, index, extent_);
    }
    return {data_ + index, name_, shadow_};
  }

  template <class V>
  V load(std::int64_t index) const {
    const V value = load_from<V>(data_, index, extent_, name_);
    for (const T* at = data_ + index; at < data_ + index + sizeof(V) / sizeof(T); ++at) {
      shadow_->read<kCells>({name_, at, sizeof(T)});
    }
    return value;
  }
  template <class V>
  void store(std::int64_t index, const V& value) const {
    store_to(data_, index, extent_, name_, value);
    for (const T* at = data_ + index; at < data_ + index + sizeof(V) / sizeof(T); ++at) {
      shadow_->write<kCells>({name_, at, sizeof(T)});
    }
  }

 private:
  T* data_;
  std::int64_t extent_;
  const char* name_;
  Shadow* shadow_;
};

// An array of more than one dimension; [] leads to the next.
template <class Array>
class CheckedRef;

template <class Array>
auto checked_part(std::remove_all_extents_t<Array>* data, const char* name, Shadow* shadow) {
  if constexpr (std::rank_v<Array> == 1) {
    return CheckedRow<std::remove_all_extents_t<Array>, 1>(data, std::extent_v<Array>, name, shadow);
  } else {
    return CheckedRef<Array>(data, name, shadow);
  }
}

template <class T, std::size_t Extent>
class CheckedRef<T[Extent]> {
 public:
  using Scalar = std::remove_all_extents_t<T>;

  CheckedRef(Scalar* data, const char* name, Shadow* shadow) : data_(data), name_(name), shadow_(shadow) {}

  auto operator[](std::int64_t index) const {
    if (static_cast<std::uint64_t>(index) >= Extent) [[unlikely]] report_out_of_bounds(name_, index, Extent);
    return checked_part<T>(data_ + index * static_cast<std::int64_t>(sizeof(T) / sizeof(Scalar)), name_, shadow_);
  }

 private:
  Scalar* data_;
  const char* name_;
  Shadow* shadow_;
};

template <class Array>
auto checked_array(const void* site, const char* name) {
  using Scalar = std::remove_all_extents_t<Array>;
  static_assert(std::rank_v<Array> <= 4);
  const ArrayShape shape{
      .rank = static_cast<int>(std::rank_v<Array>),
      .extents = {std::extent_v<Array, 0>, std::extent_v<Array, 1>, std::extent_v<Array, 2>, std::extent_v<Array, 3>}};
  void* const data = checked_shared_memory(site, shape, sizeof(Array));
  return checked_part<Array>(static_cast<Scalar*>(data), name, &current_shadow());
}

template <class T>
auto checked_dynamic_array(const char* name) {
  const auto extent = static_cast<std::int64_t>(dynamic_shared_bytes() / sizeof(T));
  return CheckedRow<T, sizeof(T)>(static_cast<T*>(checked_dynamic_shared_memory()), extent, name, &current_shadow());
}

// CUDA's atomics on what & gives. Found by argument-dependent lookup.
template <class T, std::size_t kCells>
T atomicAdd(CheckedPointer<T, kCells> address, std::type_identity_t<T> value) {
  return ::atomicAdd(address.for_atomic(), value);
}
template <class T, std::size_t kCells>
T atomicMax(CheckedPointer<T, kCells> address, std::type_identity_t<T> value) {
  return ::atomicMax(address.for_atomic(), value);
}
template <class T, std::size_t kCells>
T atomicMin(CheckedPointer<T, kCells> address, std::type_identity_t<T> value) {
  return ::atomicMin(address.for_atomic(), value);
}
template <class T, std::size_t kCells>
T atomicCAS(CheckedPointer<T, kCells> address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return ::atomicCAS(address.for_atomic(), expected, value);
}

}  // namespace narrowgate::simt
