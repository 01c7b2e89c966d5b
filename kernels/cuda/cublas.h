// cuBLAS on one stream, for row-major matrices. The library reads by columns: what it is given as Bᵀ·Aᵀ is Cᵀ, which by
// rows is C. All functions throw std::runtime_error with the library, the function and its status.
#pragma once

#include <cublas_v2.h>

#include <memory>
#include <optional>
#include <string>

#include "kernels/memory/memory.h"

namespace narrowgate::cuda {

class Cublas {
 public:
  // Why it cannot be used on this machine; nothing when it can.
  static std::optional<std::string> problem();

  explicit Cublas(Stream stream);

  // C[m×n] = A[m×k] · B[k×n] in FP32; TF32 stays off.
  void multiply(View<const float> a, View<const float> b, View<float> c) const;
  // The same on signed 8-bit integers, summed in 32 bits. Throws NotSupported where the library refuses the operands.
  void multiply(View<const std::int8_t> a, View<const std::int8_t> b, View<std::int32_t> c) const;

 private:
  std::unique_ptr<cublasContext, cublasStatus_t (*)(cublasHandle_t)> handle_;
};

}  // namespace narrowgate::cuda
