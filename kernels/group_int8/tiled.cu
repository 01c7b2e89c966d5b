// group_int8, cuda.tiled: the 16×16 tile of int8/tiled.cu; after each group the integer sum joins an FP32 chain.
// No library does this product with these roundings: integer kernels of libraries know no scale inside of k.
#include "kernels/group_int8/group_int8.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::group_int8 {
namespace {

constexpr int kTile = 16;  // divides every group length

__global__ void __launch_bounds__(kTile* kTile) tiled(Arguments args) {
  NARROWGATE_SHARED(std::int8_t, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(std::int8_t, b_tile, [kTile][kTile]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const bool is_inside = row < args.c.rows && col < args.c.cols;
  const std::int64_t depth = args.a.cols;

  float acc = 0.0f;
  std::int32_t t = 0;
  for (std::int64_t k0 = 0; k0 < depth; k0 += kTile) {
    // Codes beyond the edge are zeros and add nothing.
    a_tile[ty][tx] = row < args.c.rows && k0 + tx < depth ? args.a(row, k0 + tx) : std::int8_t{0};
    b_tile[ty][tx] = k0 + ty < depth && col < args.c.cols ? args.b(k0 + ty, col) : std::int8_t{0};
    __syncthreads();  // both tiles are complete before anyone reads them
    NARROWGATE_UNROLL
    for (int k = 0; k < kTile; ++k) t += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();  // everyone has read before the next step overwrites the tiles
    const bool ends_group = (k0 + kTile) % args.group == 0 || k0 + kTile >= depth;
    if (!ends_group || !is_inside) continue;
    acc = __fmaf_rn(__int2float_rn(t), __fmul_rn(args.a_scales[row], args.b_scales(k0 / args.group, col)), acc);
    t = 0;
  }
  if (is_inside) args.c(row, col) = args.epilogue(acc, row, col);
}

void run(const Arguments& args, Stream stream) {
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  launch({"group_int8.tiled", {tiles(args.c.cols), tiles(args.c.rows)}, {kTile, kTile}}, stream, tiled, args);
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(tiled) = {.folder = "group_int8",
                                   .name = NARROWGATE_DEVICE_NAME("tiled"),
                                   .backend = kDeviceBackend,
                                   .contract = Contract::kExact,
                                   .arithmetic = "integer multiply-adds and FP32 between groups on CUDA cores; no tensor core is used",
                                   .source = "kernels/group_int8/tiled.cu",
                                   .computes = computes_groups,
                                   .unsupported = supports_everything,
                                   .bind = bind<place, run>};

}  // namespace narrowgate::group_int8
