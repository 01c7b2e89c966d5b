#include "kernels/cuda/cublaslt.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "kernels/cuda/library.h"
#include "kernels/kernel.h"

namespace narrowgate::cuda {
namespace {

constexpr std::size_t kLargestWorkspace = std::size_t{32} << 20;  // what NVIDIA advises for Hopper

const Library& library() {
  static const Library opened({"libcublasLt.so.13", "libcublasLt.so.12"});
  return opened;
}

#define NARROWGATE_FUNCTION(member, name) decltype(&name) member = library().function<decltype(&name)>(#name)
struct Functions {
  NARROWGATE_FUNCTION(create, cublasLtCreate);
  NARROWGATE_FUNCTION(destroy, cublasLtDestroy);
  NARROWGATE_FUNCTION(status_name, cublasLtGetStatusName);
  NARROWGATE_FUNCTION(create_operation, cublasLtMatmulDescCreate);
  NARROWGATE_FUNCTION(destroy_operation, cublasLtMatmulDescDestroy);
  NARROWGATE_FUNCTION(set_operation, cublasLtMatmulDescSetAttribute);
  NARROWGATE_FUNCTION(create_layout, cublasLtMatrixLayoutCreate);
  NARROWGATE_FUNCTION(destroy_layout, cublasLtMatrixLayoutDestroy);
  NARROWGATE_FUNCTION(create_preference, cublasLtMatmulPreferenceCreate);
  NARROWGATE_FUNCTION(destroy_preference, cublasLtMatmulPreferenceDestroy);
  NARROWGATE_FUNCTION(set_preference, cublasLtMatmulPreferenceSetAttribute);
  NARROWGATE_FUNCTION(choose, cublasLtMatmulAlgoGetHeuristic);
  NARROWGATE_FUNCTION(multiply, cublasLtMatmul);
};
#undef NARROWGATE_FUNCTION

const Functions& functions() {
  static const Functions loaded;
  return loaded;
}

void check(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(library().name() + ": " + function + ": " + functions().status_name(status));
}

cublasLtHandle_t create_handle() {
  cublasLtHandle_t handle = nullptr;
  check(functions().create(&handle), "cublasLtCreate");
  return handle;
}

bool sums_integers(const TnProduct& product) { return product.result == CUDA_R_32I; }

cublasLtMatmulDesc_t create_operation(const TnProduct& product) {
  cublasLtMatmulDesc_t operation = nullptr;
  const auto compute = sums_integers(product) ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
  check(functions().create_operation(&operation, compute, product.result), "cublasLtMatmulDescCreate");
  return operation;
}

// A matrix that lies by rows is one of so many columns by columns.
cublasLtMatrixLayout_t create_layout(cudaDataType_t type, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(
      functions().create_layout(&layout, type, static_cast<std::uint64_t>(cols), static_cast<std::uint64_t>(rows), ld),
      "cublasLtMatrixLayoutCreate");
  return layout;
}

template <class Value>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, Value value) {
  check(functions().set_operation(operation, attribute, &value, sizeof(value)), "cublasLtMatmulDescSetAttribute");
}

template <class Value>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
  check(functions().set_preference(preference, attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

// The library assumes 256 bytes where it is not told otherwise.
std::uint32_t alignment_of(const void* pointer) {
  constexpr std::uintptr_t kMost = 256;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<std::uint32_t>(std::min(kMost, std::uintptr_t{1} << std::countr_zero(address | kMost)));
}

}  // namespace

std::optional<std::string> CublasLt::problem() { return library().problem(); }

CublasLt::CublasLt(const TnProduct& product, Memory& memory)
    : product_(product),
      stream_(memory.stream()),
      handle_(create_handle(), functions().destroy),
      operation_(create_operation(product), functions().destroy_operation),
      layout_b_(create_layout(product.operand, product.shape.n, product.shape.k, product.ldb),
                functions().destroy_layout),
      layout_a_(create_layout(product.operand, product.shape.m, product.shape.k, product.lda),
                functions().destroy_layout),
      layout_c_(create_layout(product.result, product.shape.m, product.shape.n, product.ldc),
                functions().destroy_layout) {
  set(operation_.get(), CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(operation_.get(), CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  if (!sums_integers(product)) {
    // Off: partial sums leave the tensor core's short accumulator for FP32 every few steps.
    set(operation_.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{0});
  }
  if (product.b_scale != nullptr) set(operation_.get(), CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, product.b_scale);
  if (product.a_scale != nullptr) set(operation_.get(), CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, product.a_scale);
  choose_algorithm(memory);
}

void CublasLt::choose_algorithm(Memory& memory) {
  cublasLtMatmulPreference_t created = nullptr;
  check(functions().create_preference(&created), "cublasLtMatmulPreferenceCreate");
  const Owned<cublasLtMatmulPreference_t> preference(created, functions().destroy_preference);
  set(created, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kLargestWorkspace);
  set(created, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(product_.b_transposed));
  set(created, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(product_.a));
  set(created, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(product_.c));
  set(created, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(product_.c));

  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t status =
      functions().choose(handle_.get(), operation_.get(), layout_b_.get(), layout_a_.get(), layout_c_.get(),
                         layout_c_.get(), created, 1, &best, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0)) {
    throw NotSupported(
        fmt::format("{} has no algorithm for this product: leading dimensions {} of A, {} of B, {} of C, "
                    "addresses aligned to {}, {} and {} bytes",
                    library().name(), product_.lda, product_.ldb, product_.ldc, alignment_of(product_.a),
                    alignment_of(product_.b_transposed), alignment_of(product_.c)));
  }
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  algorithm_ = best.algo;
  workspace_bytes_ = best.workspaceSize;
  if (workspace_bytes_ > 0) {
    workspace_ =
        memory.scratch<std::uint8_t>("workspace of cuBLASLt", 1, static_cast<std::int64_t>(workspace_bytes_)).data;
  }
}

void CublasLt::run() const {
  const float one = 1.0f, zero = 0.0f;
  const std::int32_t integer_one = 1, integer_zero = 0;
  const void* alpha = &one;
  const void* beta = &zero;
  if (sums_integers(product_)) {
    alpha = &integer_one;
    beta = &integer_zero;
  }
  check(functions().multiply(handle_.get(), operation_.get(), alpha, product_.b_transposed, layout_b_.get(), product_.a,
                             layout_a_.get(), beta, product_.c, layout_c_.get(), product_.c, layout_c_.get(),
                             &algorithm_, workspace_, workspace_bytes_, static_cast<cudaStream_t>(stream_)),
        "cublasLtMatmul");
}

}  // namespace narrowgate::cuda
