// fp32, cuda.tiled: the textbook 16×16 tile, the seed of every other device kernel.
// One thread computes one element of C; a block walks along k and shares a tile of A and a tile of B at each step.
// cuBLAS does this job many times faster; this kernel exists as the simplest device code with the scheme's exact bits.
#include "kernels/epilogue.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::fp32 {
namespace {

constexpr int kTile = 16;

// A[m×k], B[k×n], C[m×n], row-major with leading dimensions.
struct Arguments {
  View<const float> a;
  View<const float> b;
  View<float> c;
  Epilogue epilogue;
};

Arguments place(const Operands& operands, View<float> c, Memory& memory) {
  return {memory.place("A", operands.a.values.view()), memory.place("B", operands.b.values.view()), c,
          place_epilogue(operands, memory)};
}

__global__ void __launch_bounds__(kTile* kTile) tiled(Arguments args) {
  NARROWGATE_SHARED(float, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(float, b_tile, [kTile][kTile]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const std::int64_t depth = args.a.cols;

  float acc = 0.0f;
  for (std::int64_t k0 = 0; k0 < depth; k0 += kTile) {
    // Elements beyond the edge are zeros: fma(0, b, acc) leaves acc as it is.
    a_tile[ty][tx] = row < args.c.rows && k0 + tx < depth ? args.a(row, k0 + tx) : 0.0f;
    b_tile[ty][tx] = k0 + ty < depth && col < args.c.cols ? args.b(k0 + ty, col) : 0.0f;
    __syncthreads();  // both tiles are complete before anyone reads them
    NARROWGATE_UNROLL
    for (int k = 0; k < kTile; ++k) acc = __fmaf_rn(a_tile[ty][k], b_tile[k][tx], acc);
    __syncthreads();  // everyone has read before the next step overwrites the tiles
  }
  if (row < args.c.rows && col < args.c.cols) args.c(row, col) = args.epilogue(acc, row, col);
}

void run(const Arguments& args, Stream stream) {
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  launch({"fp32.tiled", {tiles(args.c.cols), tiles(args.c.rows)}, {kTile, kTile}}, stream, tiled, args);
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(tiled) = {.folder = "fp32",
                                   .name = NARROWGATE_DEVICE_NAME("tiled"),
                                   .backend = kDeviceBackend,
                                   .contract = Contract::kExact,
                                   .arithmetic = "FP32 fused multiply-adds on CUDA cores; no tensor core is used",
                                   .source = "kernels/fp32/tiled.cu",
                                   .computes = [](const Scheme& scheme) {
                                     return scheme.family == "fp32" && scheme.accumulation == Accumulation::chain();
                                   },
                                   .unsupported = supports_everything,
                                   .bind = bind<place, run>};

}  // namespace narrowgate::fp32
