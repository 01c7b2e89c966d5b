// One product by cuBLASLt in its TN layout, with an algorithm that is chosen once. The library reads by columns: with
// Bᵀ stored by rows, op(A) = T of it is B, and A by rows is its second operand as it stands; what comes out by columns
// is Cᵀ, by rows C.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <optional>
#include <string>

#include "kernels/memory/memory.h"

namespace narrowgate::cuda {

// C[m×n] = A[m×k] · B[k×n], everything row-major on the device.
struct TnProduct {
  Shape shape;
  const void* a = nullptr;  // m×k
  std::int64_t lda = 0;
  const void* b_transposed = nullptr;  // n×k
  std::int64_t ldb = 0;
  void* c = nullptr;  // m×n
  std::int64_t ldc = 0;
  cudaDataType_t operand = CUDA_R_8I;  // of A and B
  cudaDataType_t result = CUDA_R_32I;  // of C, and of the sum
  const float* a_scale = nullptr;      // multiply the finished sum; nullptr: one
  const float* b_scale = nullptr;
};

class CublasLt {
 public:
  // Why it cannot be used on this machine; nothing when it can.
  static std::optional<std::string> problem();

  // Throws NotSupported where the library has no algorithm for the product as it is placed.
  CublasLt(const TnProduct& product, Memory& memory);
  // Throws std::runtime_error with the library, the function and its status.
  void run() const;

 private:
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

  void choose_algorithm(Memory& memory);

  TnProduct product_;
  Stream stream_;
  Owned<cublasLtHandle_t> handle_;
  Owned<cublasLtMatmulDesc_t> operation_;
  Owned<cublasLtMatrixLayout_t> layout_b_, layout_a_, layout_c_;
  cublasLtMatmulAlgo_t algorithm_{};
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace narrowgate::cuda
