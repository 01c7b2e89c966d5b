// int8, cuda.cublaslt: the integer product in the library's fastest layout, TN: B is stored transposed once, when it is
// placed. Then int8/finish.cu. Exact, as int8/cublas.cpp is.
#include "kernels/cuda/cublaslt.h"

#include "kernels/cuda/transposed.h"
#include "kernels/int8/int8.h"
#include "kernels/int8/library_limits.h"

namespace narrowgate::int8 {
namespace {

Launch bind_library(const Operands& operands, View<float> c, Memory& memory) {
  const Arguments args = place(operands, c, memory);
  const Matrix<std::int8_t> columns = cuda::transposed(operands.b.codes);
  const View<const std::int8_t> b = memory.place("codes of B, transposed", columns.view());
  for (const auto& [name, codes] : {std::pair{"A", args.a}, std::pair{"B", b}}) {
    if (auto reason = refuses_alignment(name, codes)) throw NotSupported(*reason);
  }
  const View<std::int32_t> sums = memory.scratch<std::int32_t>("sums", c.rows, c.cols);
  const cuda::TnProduct product{.shape = operands.shape(),
                                .a = args.a.data,
                                .lda = args.a.ld,
                                .b_transposed = b.data,
                                .ldb = b.ld,
                                .c = sums.data,
                                .ldc = sums.ld,
                                .operand = CUDA_R_8I,
                                .result = CUDA_R_32I};
  const auto library = std::make_shared<const cuda::CublasLt>(product, memory);
  return [library, args, sums, stream = memory.stream()] {
    library->run();
    finish_sums<Backend::kCuda>(sums, args, stream);
  };
}

std::optional<std::string> unsupported(const Scheme&, Shape shape) {
  static const std::optional<std::string> problem = cuda::CublasLt::problem();
  if (problem) return problem;
  return refuses_quads(shape);
}

}  // namespace

extern const Kernel cuda_cublaslt;
const Kernel cuda_cublaslt = {
    .folder = "int8",
    .name = "cuda.cublaslt",
    .backend = Backend::kCuda,
    .contract = Contract::kExact,
    .arithmetic = "cuBLASLt, TN: integer tensor cores where the device has them; a pass of its own finishes the sums",
    .source = "kernels/int8/cublaslt.cpp",
    .computes = [](const Scheme& scheme) { return computes_integers(scheme) && scheme.storage == Storage::kDense; },
    .unsupported = unsupported,
    .bind = bind_library};

}  // namespace narrowgate::int8
