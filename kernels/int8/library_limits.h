// What cuBLAS and cuBLASLt ask of 8-bit integers (cuBLAS documentation, cublasGemmEx and cublasLtMatmul: regular
// layouts).
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "kernels/matrix.h"

namespace narrowgate::int8 {

inline constexpr std::int64_t kQuad = 4;

inline std::optional<std::string> refuses_quads(Shape shape) {
  if (shape.n % kQuad == 0 && shape.k % kQuad == 0) return std::nullopt;
  return fmt::format("the library takes 8-bit integers only where n and k are multiples of 4; here they are {} and {}",
                     shape.n, shape.k);
}

inline std::optional<std::string> refuses_alignment(const char* name, View<const std::int8_t> codes) {
  if (reinterpret_cast<std::uintptr_t>(codes.data) % kQuad == 0 && codes.ld % kQuad == 0) return std::nullopt;
  return fmt::format(
      "the library takes 8-bit integers only in rows aligned to 4 bytes; those of {} are {} bytes apart or "
      "begin elsewhere",
      name, codes.ld);
}

}  // namespace narrowgate::int8
