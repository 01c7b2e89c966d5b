// The spelling of an enumeration in files and on the screen, written once: specialize Names<E> with one name per
// enumerator, in order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace narrowgate {

template <class E>
struct Names;

template <class E>
concept NamedEnum = requires { Names<E>::value; };

template <NamedEnum E>
constexpr std::string_view to_string(E e) {
  return Names<E>::value.at(static_cast<std::size_t>(e));
}

template <NamedEnum E>
constexpr std::optional<E> from_name(std::string_view name) {
  for (std::size_t i = 0; i < Names<E>::value.size(); ++i) {
    if (Names<E>::value[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace narrowgate
