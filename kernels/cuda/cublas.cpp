#include "kernels/cuda/cublas.h"

#include <stdexcept>

#include "kernels/cuda/library.h"
#include "kernels/kernel.h"

namespace narrowgate::cuda {
namespace {

const Library& library() {
  static const Library opened({"libcublas.so.13", "libcublas.so.12"});
  return opened;
}

// Spelled out: for C++ the header overloads the name.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                  cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

struct Functions {
  decltype(&cublasCreate_v2) create = library().function<decltype(&cublasCreate_v2)>("cublasCreate_v2");
  decltype(&cublasDestroy_v2) destroy = library().function<decltype(&cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(&cublasSetStream_v2) set_stream = library().function<decltype(&cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(&cublasSetMathMode) set_math_mode = library().function<decltype(&cublasSetMathMode)>("cublasSetMathMode");
  decltype(&cublasSgemm_v2) sgemm = library().function<decltype(&cublasSgemm_v2)>("cublasSgemm_v2");
  GemmEx gemm_ex = library().function<GemmEx>("cublasGemmEx");
  decltype(&cublasGetStatusName) status_name =
      library().function<decltype(&cublasGetStatusName)>("cublasGetStatusName");
};

const Functions& functions() {
  static const Functions loaded;
  return loaded;
}

std::string failure(const char* function, cublasStatus_t status) {
  return library().name() + ": " + function + ": " + functions().status_name(status);
}

void check(cublasStatus_t status, const char* function) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(failure(function, status));
}

cublasHandle_t create() {
  cublasHandle_t handle = nullptr;
  check(functions().create(&handle), "cublasCreate");
  return handle;
}

}  // namespace

std::optional<std::string> Cublas::problem() { return library().problem(); }

Cublas::Cublas(Stream stream) : handle_(create(), functions().destroy) {
  check(functions().set_stream(handle_.get(), static_cast<cudaStream_t>(stream)), "cublasSetStream");
  check(functions().set_math_mode(handle_.get(), CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
}

void Cublas::multiply(View<const float> a, View<const float> b, View<float> c) const {
  const float one = 1.0f, zero = 0.0f;
  check(functions().sgemm(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(c.cols), static_cast<int>(c.rows),
                          static_cast<int>(a.cols), &one, b.data, static_cast<int>(b.ld), a.data,
                          static_cast<int>(a.ld), &zero, c.data, static_cast<int>(c.ld)),
        "cublasSgemm");
}

void Cublas::multiply(View<const std::int8_t> a, View<const std::int8_t> b, View<std::int32_t> c) const {
  const std::int32_t one = 1, zero = 0;
  const cublasStatus_t status =
      functions().gemm_ex(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(c.cols), static_cast<int>(c.rows),
                          static_cast<int>(a.cols), &one, b.data, CUDA_R_8I, static_cast<int>(b.ld), a.data, CUDA_R_8I,
                          static_cast<int>(a.ld), &zero, c.data, CUDA_R_32I, static_cast<int>(c.ld), CUBLAS_COMPUTE_32I,
                          CUBLAS_GEMM_DEFAULT);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) throw NotSupported(failure("cublasGemmEx on 8-bit integers", status));
  check(status, "cublasGemmEx");
}

}  // namespace narrowgate::cuda
