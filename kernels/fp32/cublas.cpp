// fp32, cuda.cublas: SGEMM of NVIDIA's library, the measure of what the own kernels of fp32.chain cost. TF32 is off, so
// products and sums round to 24 bits; the order of the sum is the library's own and may differ between devices and
// versions. In any order a product meets at most k roundings: t = k.
#include "kernels/cuda/cublas.h"

#include <memory>

#include "kernels/kernel.h"

namespace narrowgate::fp32 {
namespace {

Launch bind_library(const Operands& operands, View<float> c, Memory& memory) {
  const View<const float> a = memory.place("A", operands.a.values.view());
  const View<const float> b = memory.place("B", operands.b.values.view());
  const auto library = std::make_shared<const cuda::Cublas>(memory.stream());
  return [library, a, b, c] { library->multiply(a, b, c); };
}

std::optional<std::string> unsupported(const Scheme&, Shape) {
  static const std::optional<std::string> problem = cuda::Cublas::problem();
  return problem;
}

// The library's product is the whole answer: no bias, no FP16.
bool computes(const Scheme& scheme) {
  return scheme.family == "fp32" && scheme.accumulation == Accumulation::chain() && !scheme.has_bias &&
         scheme.output == OutputFormat::kFp32;
}

}  // namespace

extern const Kernel cuda_cublas;
const Kernel cuda_cublas = {.folder = "fp32",
                            .name = "cuda.cublas",
                            .backend = Backend::kCuda,
                            .contract = Contract::kBounded,
                            .precision = Precision{.unit_roundoff_bits = 24, .roundings = any_order_roundings},
                            .arithmetic = "cuBLAS SGEMM: FP32 on CUDA cores, TF32 off",
                            .source = "kernels/fp32/cublas.cpp",
                            .computes = computes,
                            .unsupported = unsupported,
                            .bind = bind_library};

}  // namespace narrowgate::fp32
