// One access of 4, 8 or 16 bytes to a shared row: `load_vector<V>(row, index)`, `store_vector(row, index, v)`.
// V is a trivially copyable struct or scalar that fills a whole number of the row's elements; index counts elements and
// is a multiple of V's. On the host the whole range is checked.
#pragma once

#include <type_traits>

#include "kernels/host_device.h"

namespace narrowgate {

template <class V>
inline constexpr bool kIsVectorAccess =
    std::is_trivially_copyable_v<V> && (sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);

#ifdef __CUDACC__

template <class V, class Row>
NARROWGATE_DEVICE V load_vector(Row row, int index) {
  static_assert(kIsVectorAccess<V> && alignof(V) == sizeof(V) && sizeof(V) % sizeof(*row) == 0);
  return *reinterpret_cast<const V*>(row + index);
}
template <class Row, class V>
NARROWGATE_DEVICE void store_vector(Row row, int index, V value) {
  static_assert(kIsVectorAccess<V> && alignof(V) == sizeof(V) && sizeof(V) % sizeof(*row) == 0);
  *reinterpret_cast<V*>(row + index) = value;
}

#else

template <class V, class Row>
V load_vector(Row row, int index) {
  static_assert(kIsVectorAccess<V> && alignof(V) == sizeof(V));
  return row.template load<V>(index);
}
template <class Row, class V>
void store_vector(Row row, int index, V value) {
  static_assert(kIsVectorAccess<V> && alignof(V) == sizeof(V));
  row.store(index, value);
}

#endif

}  // namespace narrowgate
