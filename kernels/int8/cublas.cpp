// int8, cuda.cublas: the integer product by cublasGemmEx with both operands as they lie (NN), then int8/finish.cu. Sums
// of 32-bit integers are exact in any order, so the library owes the scheme's bits as every other kernel does.
#include "kernels/cuda/cublas.h"

#include "kernels/int8/int8.h"
#include "kernels/int8/library_limits.h"

namespace narrowgate::int8 {
namespace {

Launch bind_library(const Operands& operands, View<float> c, Memory& memory) {
  const Arguments args = place(operands, c, memory);
  for (const auto& [name, codes] : {std::pair{"A", args.a}, std::pair{"B", args.b}}) {
    if (auto reason = refuses_alignment(name, codes)) throw NotSupported(*reason);
  }
  const View<std::int32_t> sums = memory.scratch<std::int32_t>("sums", c.rows, c.cols);
  const auto library = std::make_shared<const cuda::Cublas>(memory.stream());
  library->multiply(args.a, args.b, sums);  // what the library refuses, it refuses here
  return [library, args, sums, stream = memory.stream()] {
    library->multiply(args.a, args.b, sums);
    finish_sums<Backend::kCuda>(sums, args, stream);
  };
}

std::optional<std::string> unsupported(const Scheme&, Shape shape) {
  static const std::optional<std::string> problem = cuda::Cublas::problem();
  if (problem) return problem;
  return refuses_quads(shape);
}

}  // namespace

extern const Kernel cuda_cublas;
const Kernel cuda_cublas = {
    .folder = "int8",
    .name = "cuda.cublas",
    .backend = Backend::kCuda,
    .contract = Contract::kExact,
    .arithmetic =
        "cuBLAS: integer multiply-adds, on tensor cores where the library chooses so; a pass of its own finishes them",
    .source = "kernels/int8/cublas.cpp",
    .computes = [](const Scheme& scheme) { return computes_integers(scheme) && scheme.storage == Storage::kDense; },
    .unsupported = unsupported,
    .bind = bind_library};

}  // namespace narrowgate::int8
