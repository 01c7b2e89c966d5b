// sparse24, cuda.cusparselt: compressed INT8 weights on sparse tensor cores by NVIDIA's cuSPARSELt, which packs the
// pruned weights itself, once, when they are placed; then int8/finish.cu. Integer sums are exact, so the library owes
// the bits of sparse24/tiled.cu, which takes every shape and device.
//
// The library is no part of CUDA: its types are declared here, as of 0.6.2 (COMPUTE_32I had another number before
// 0.5.2).
// Cᵀ[n×m] = Bᵀ[n×k] · Aᵀ: Bᵀ by rows is the sparse operand, A by rows the transposed dense one; Cᵀ by columns is C.
#include <fmt/format.h>

#include <library_types.h>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "kernels/cuda/device.h"
#include "kernels/cuda/library.h"
#include "kernels/cuda/transposed.h"
#include "kernels/sparse24/sparse24.h"

namespace narrowgate::sparse24 {
namespace {

constexpr int kOldestVersion = 602;  // as cusparseLtGetVersion gives it: 0.6.2
constexpr int kNotSupported = 10;    // cusparseStatus_t
enum Order { kByColumns = 1, kByRows = 2 };
enum Operation { kAsItIs = 0, kTransposed = 1 };
constexpr int kHalfSparse = 0, kCompute32I = 0, kDefaultAlgorithm = 0;
constexpr std::uint32_t kAlignment = 16;

// The library's opaque structures are 512 bytes each, and were larger once.
struct alignas(16) Opaque {
  std::array<std::byte, 16384> bytes;
};

const cuda::Library& library() {
  static const cuda::Library opened({"libcusparseLt.so.0"});
  return opened;
}

template <class... Parameters>
struct Function {
  int (*pointer)(Parameters...);
  const char* name;
  explicit Function(const char* symbol) : pointer(library().function<int (*)(Parameters...)>(symbol)), name(symbol) {}

  void operator()(Parameters... parameters) const {
    const int status = pointer(parameters...);
    if (status == 0) return;
    const auto status_name = library().function<const char* (*)(int)>("cusparseLtGetErrorName");
    const std::string message = fmt::format("{}: {}: {}", library().name(), name, status_name(status));
    if (status == kNotSupported) throw NotSupported(message);
    throw std::runtime_error(message);
  }
};

using In = const Opaque*;
struct Functions {
  Function<Opaque*> init{"cusparseLtInit"};
  Function<In> destroy{"cusparseLtDestroy"};
  Function<In, int*> version{"cusparseLtGetVersion"};
  Function<In, Opaque*, std::int64_t, std::int64_t, std::int64_t, std::uint32_t, cudaDataType, int> dense{
      "cusparseLtDenseDescriptorInit"};
  Function<In, Opaque*, std::int64_t, std::int64_t, std::int64_t, std::uint32_t, cudaDataType, int, int> sparse{
      "cusparseLtStructuredDescriptorInit"};
  Function<In, Opaque*, int, int, In, In, In, In, int> operation{"cusparseLtMatmulDescriptorInit"};
  Function<In, Opaque*, In, int> choose{"cusparseLtMatmulAlgSelectionInit"};
  Function<In, Opaque*, In, In> plan{"cusparseLtMatmulPlanInit"};
  Function<In> destroy_plan{"cusparseLtMatmulPlanDestroy"};
  Function<In, In, std::size_t*> workspace{"cusparseLtMatmulGetWorkspace"};
  Function<In, In, std::size_t*, std::size_t*> compressed_size{"cusparseLtSpMMACompressedSize"};
  Function<In, In, const void*, void*, void*, Stream> compress{"cusparseLtSpMMACompress"};
  Function<In, In, const void*, const void*, const void*, const void*, const void*, void*, void*, Stream*, std::int32_t>
      multiply{"cusparseLtMatmul"};
};

const Functions& functions() {
  static const Functions loaded;
  return loaded;
}

void* bytes_of(Memory& memory, const char* name, std::size_t count) {
  return count == 0 ? nullptr : memory.scratch<std::uint8_t>(name, 1, static_cast<std::int64_t>(count)).data;
}

// The library's context; its other structures belong to it.
class Context {
 public:
  Context() { functions().init(&handle_); }
  ~Context() { functions().destroy.pointer(&handle_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  const Opaque* get() const { return &handle_; }

 private:
  Opaque handle_{};
};

class SparseProduct {
 public:
  // b_transposed[n×k] holds at most two values of each four along k; sums[m×n] = A·B.
  SparseProduct(View<const std::int8_t> a, View<const std::int8_t> b_transposed, View<std::int32_t> sums,
                Memory& memory)
      : a_(a), sums_(sums), stream_(memory.stream()) {
    const Functions& call = functions();
    call.sparse(context_.get(), &sparse_, b_transposed.rows, b_transposed.cols, b_transposed.ld, kAlignment, CUDA_R_8I,
                kByRows, kHalfSparse);
    call.dense(context_.get(), &dense_, a.rows, a.cols, a.ld, kAlignment, CUDA_R_8I, kByRows);
    call.dense(context_.get(), &result_, sums.cols, sums.rows, sums.ld, kAlignment, CUDA_R_32I, kByColumns);
    call.operation(context_.get(), &operation_, kAsItIs, kTransposed, &sparse_, &dense_, &result_, &result_,
                   kCompute32I);
    call.choose(context_.get(), &selection_, &operation_, kDefaultAlgorithm);
    call.plan(context_.get(), &plan_, &operation_, &selection_);
    compress(b_transposed, memory);
  }
  ~SparseProduct() { functions().destroy_plan.pointer(&plan_); }
  SparseProduct(const SparseProduct&) = delete;
  SparseProduct& operator=(const SparseProduct&) = delete;

  void run() {
    const float one = 1.0f, zero = 0.0f;
    functions().multiply(context_.get(), &plan_, &one, compressed_, a_.data, &zero, sums_.data, sums_.data, workspace_,
                         &stream_, 1);
  }

 private:
  void compress(View<const std::int8_t> b_transposed, Memory& memory) {
    std::size_t compressed_bytes = 0, buffer_bytes = 0, workspace_bytes = 0;
    functions().compressed_size(context_.get(), &plan_, &compressed_bytes, &buffer_bytes);
    functions().workspace(context_.get(), &plan_, &workspace_bytes);
    compressed_ = bytes_of(memory, "weights as cuSPARSELt packs them", compressed_bytes);
    workspace_ = bytes_of(memory, "workspace of cuSPARSELt", workspace_bytes);
    void* const buffer = bytes_of(memory, "buffer of cuSPARSELt's packing", buffer_bytes);
    functions().compress(context_.get(), &plan_, b_transposed.data, compressed_, buffer, stream_);
    memory.synchronize();
  }

  Context context_;
  View<const std::int8_t> a_;
  View<std::int32_t> sums_;
  Stream stream_;
  Opaque sparse_{}, dense_{}, result_{}, operation_{}, selection_{}, plan_{};
  void* compressed_ = nullptr;
  void* workspace_ = nullptr;
};

bool is_aligned(View<const std::int8_t> codes) {
  return reinterpret_cast<std::uintptr_t>(codes.data) % kAlignment == 0 && codes.ld % kAlignment == 0;
}

Launch bind_library(const Operands& operands, View<float> c, Memory& memory) {
  const int8::Arguments args = int8::place(operands, c, memory);
  const Matrix<std::int8_t> columns = cuda::transposed(operands.b.codes);
  const View<const std::int8_t> b = memory.place("codes of B, transposed", columns.view());
  if (!is_aligned(args.a) || !is_aligned(b)) throw NotSupported("cuSPARSELt wants rows of codes aligned to 16 bytes");
  const View<std::int32_t> sums = memory.scratch<std::int32_t>("sums", c.rows, c.cols);
  const auto product = std::make_shared<SparseProduct>(args.a, b, sums, memory);
  return [product, args, sums, stream = memory.stream()] {
    product->run();
    int8::finish_sums<Backend::kCuda>(sums, args, stream);
  };
}

// A library that cannot even say its version here is no library to use.
std::optional<std::string> version_problem() {
  int version = 0;
  try {
    const Context context;
    functions().version(context.get(), &version);
  } catch (const std::exception& failure) {
    return failure.what();
  }
  if (version >= kOldestVersion) return std::nullopt;
  return fmt::format("{} is version {}; this kernel needs {} or newer", library().name(), version, kOldestVersion);
}

std::optional<std::string> machine_problem() {
  if (auto problem = library().problem()) return problem;
  const cuda::Probe probe = cuda::probe();
  if (!probe.device) return probe.problem;
  if (probe.device->compute_major < 8) {
    return fmt::format("sparse tensor cores begin with compute capability 8.0; this device has {}.{}",
                       probe.device->compute_major, probe.device->compute_minor);
  }
  return version_problem();
}

std::optional<std::string> unsupported(const Scheme&, Shape shape) {
  static const std::optional<std::string> problem = machine_problem();
  if (problem) return problem;
  if (shape.n % 32 == 0 && shape.k % 32 == 0 && shape.m % 16 == 0) return std::nullopt;
  return fmt::format(
      "cuSPARSELt takes 8-bit integers only where n and k are multiples of 32 and m of 16; here they are {}, {} and {}",
      shape.n, shape.k, shape.m);
}

bool computes(const Scheme& scheme) { return computes_compressed(scheme) && int8::computes_integers(scheme); }

}  // namespace

extern const Kernel cuda_cusparselt;
const Kernel cuda_cusparselt = {
    .folder = "sparse24",
    .name = "cuda.cusparselt",
    .backend = Backend::kCuda,
    .contract = Contract::kExact,
    .arithmetic = "cuSPARSELt: integer sparse tensor cores; a pass of its own finishes the sums",
    .source = "kernels/sparse24/cusparselt.cpp",
    .computes = computes,
    .unsupported = unsupported,
    .bind = bind_library};

}  // namespace narrowgate::sparse24
