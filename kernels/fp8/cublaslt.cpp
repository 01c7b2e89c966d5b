// fp8, cuda.cublaslt: E4M3 on tensor cores in the library's TN layout, both tensor scales given to the library.
//
// What the bound takes for granted. The unit adds 32 products, exact in E4M3, to its accumulator at a time and keeps
// about 14 bits of it on Hopper (DeepSeek-V3 2024, §3.3.2; NVIDIA documents no figure): u = 2⁻¹⁴ and t = ⌈k/32⌉ + 32,
// so from k ≈ 2¹⁸ the bound is vacuous and the gate says so. This is a model, not a proof: a unit that aligns its 33
// terms to the largest and cuts off the rest, rather than rounding, can lose twice as much on heavy-tailed products of
// one sign where k is short. Fast accumulation is off, so that partial sums move to FP32 every few steps. With it on,
// what is cut off adds up over the whole of k, and in the same model sums of one sign leave this bound from k ≈ 1024: a
// kernel of its own, with another t, would be needed for it.
#include "kernels/cuda/cublaslt.h"

#include <fmt/format.h>

#include "kernels/cuda/device.h"
#include "kernels/cuda/transposed.h"
#include "kernels/kernel.h"

namespace narrowgate::fp8 {
namespace {

constexpr std::int64_t kBytes = 16;  // what the library asks of addresses and leading dimensions

bool is_aligned(View<const std::int8_t> codes) {
  return reinterpret_cast<std::uintptr_t>(codes.data) % kBytes == 0 && codes.ld % kBytes == 0;
}

Launch bind_library(const Operands& operands, View<float> c, Memory& memory) {
  const View<const std::int8_t> a = memory.place("codes of A", operands.a.codes.view());
  const Matrix<std::int8_t> columns = cuda::transposed(operands.b.codes);
  const View<const std::int8_t> b = memory.place("codes of B, transposed", columns.view());
  if (!is_aligned(a) || !is_aligned(b)) throw NotSupported("cuBLASLt wants rows of FP8 codes aligned to 16 bytes");
  const cuda::TnProduct product{.shape = operands.shape(),
                                .a = a.data,
                                .lda = a.ld,
                                .b_transposed = b.data,
                                .ldb = b.ld,
                                .c = c.data,
                                .ldc = c.ld,
                                .operand = CUDA_R_8F_E4M3,
                                .result = CUDA_R_32F,
                                .a_scale = memory.place("scale of A", std::span<const float>(operands.a.scales)),
                                .b_scale = memory.place("scale of B", std::span<const float>(operands.b.scales))};
  const auto library = std::make_shared<const cuda::CublasLt>(product, memory);
  return [library] { library->run(); };
}

std::optional<std::string> machine_problem() {
  if (auto problem = cuda::CublasLt::problem()) return problem;
  const cuda::Probe probe = cuda::probe();
  if (!probe.device) return probe.problem;
  const cuda::DeviceInfo& device = *probe.device;
  if (std::pair(device.compute_major, device.compute_minor) >= std::pair(8, 9)) return std::nullopt;
  return fmt::format("FP8 tensor cores begin with compute capability 8.9; this device has {}.{}", device.compute_major,
                     device.compute_minor);
}

std::optional<std::string> unsupported(const Scheme&, Shape shape) {
  static const std::optional<std::string> problem = machine_problem();
  if (problem) return problem;
  if (shape.n % kBytes == 0 && shape.k % kBytes == 0) return std::nullopt;
  return fmt::format("cuBLASLt takes FP8 only where n and k are multiples of 16; here they are {} and {}", shape.n,
                     shape.k);
}

}  // namespace

extern const Kernel cuda_cublaslt;
const Kernel cuda_cublaslt = {.folder = "fp8",
                              .name = "cuda.cublaslt",
                              .backend = Backend::kCuda,
                              .contract = Contract::kBounded,
                              .precision = Precision{.unit_roundoff_bits = 14, .roundings = matrix_unit_roundings<32>},
                              .arithmetic = "cuBLASLt, TN: FP8 tensor cores, fast accumulation off",
                              .source = "kernels/fp8/cublaslt.cpp",
                              .computes = [](const Scheme& scheme) { return scheme.id == "fp8.e4m3.tensor.chain"; },
                              .unsupported = unsupported,
                              .bind = bind_library};

}  // namespace narrowgate::fp8
