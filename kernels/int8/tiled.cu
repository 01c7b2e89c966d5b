// int8, cuda.tiled: the 16×16 tile of fp32/tiled.cu on 8-bit codes, with plain integer multiply-adds.
// cuBLAS does the integer product faster where n % 4 == 0; this kernel takes every shape.
#include "kernels/int8/int8.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::int8 {
namespace {

constexpr int kTile = 16;

__global__ void __launch_bounds__(kTile* kTile) tiled(Arguments args) {
  NARROWGATE_SHARED(std::int8_t, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(std::int8_t, b_tile, [kTile][kTile]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const std::int64_t depth = args.a.cols;

  std::int32_t acc = 0;
  for (std::int64_t k0 = 0; k0 < depth; k0 += kTile) {
    // Codes beyond the edge are zeros: they add nothing, and B's column sums leave them out as well.
    a_tile[ty][tx] = row < args.c.rows && k0 + tx < depth ? args.a(row, k0 + tx) : std::int8_t{0};
    b_tile[ty][tx] = k0 + ty < depth && col < args.c.cols ? args.b(k0 + ty, col) : std::int8_t{0};
    __syncthreads();  // both tiles are complete before anyone reads them
    NARROWGATE_UNROLL
    for (int k = 0; k < kTile; ++k) acc += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();  // everyone has read before the next step overwrites the tiles
  }
  if (row < args.c.rows && col < args.c.cols) args.c(row, col) = args.finish(acc, row, col);
}

void run(const Arguments& args, Stream stream) {
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  launch({"int8.tiled", {tiles(args.c.cols), tiles(args.c.rows)}, {kTile, kTile}}, stream, tiled, args);
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(tiled) = {.folder = "int8",
                                   .name = NARROWGATE_DEVICE_NAME("tiled"),
                                   .backend = kDeviceBackend,
                                   .contract = Contract::kExact,
                                   .arithmetic = "integer multiply-adds on CUDA cores; no tensor core is used",
                                   .source = "kernels/int8/tiled.cu",
                                   .computes = [](const Scheme& scheme) {
                                     return computes_integers(scheme) && scheme.storage == Storage::kDense;
                                   },
                                   .unsupported = supports_everything,
                                   .bind = bind<place, run>};

}  // namespace narrowgate::int8
