// decoded, cuda.tiled: the 16×16 tile of fp32/tiled.cu for every format: elements are decoded as they enter the tile.
// One thread computes one element of C in the scheme's own order; codes are read unpacked, a byte each.
// cuBLASLt multiplies FP8, MXFP8 and NVFP4 on hardware that has them, in an order of its own: its bits are not these.
#include "kernels/decoded/codes.h"
#include "kernels/decoded/decoded.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::decoded {
namespace {

constexpr int kTile = 16;

struct Arguments {
  Codes a, b;
  View<float> c;
  std::int64_t length;  // of a lane's vector or of a block
  BlockScales scales;
  Epilogue epilogue;
  Accumulation::Order order;
};

Arguments place_tiles(const Operands& operands, View<float> c, Memory& memory) {
  return {place_codes("A", operands.a, BlockAxis::cols, operands.accumulation, memory),
          place_codes("B", operands.b, BlockAxis::rows, operands.accumulation, memory),
          c,
          operands.accumulation.length,
          place_block_scales(operands, memory),
          place_epilogue(operands, memory),
          operands.accumulation.order};
}

// The three orders, as a sum that one thread feeds with ascending k.
struct ChainSum {
  float acc = 0.0f;
  NARROWGATE_DEVICE void add(const Arguments&, std::int64_t, float a, float b) { acc = __fmaf_rn(b, a, acc); }
  NARROWGATE_DEVICE void end_tile(const Arguments&, std::int64_t, std::int64_t, std::int64_t) {}
  NARROWGATE_DEVICE float total() { return acc; }
};

struct LaneSum {
  float partial[kLaneCount] = {};
  NARROWGATE_DEVICE void add(const Arguments& args, std::int64_t k, float a, float b) {
    float& lane = partial[k / args.length % kLaneCount];
    lane = __fmaf_rn(b, a, lane);
  }
  NARROWGATE_DEVICE void end_tile(const Arguments&, std::int64_t, std::int64_t, std::int64_t) {}
  NARROWGATE_DEVICE float total() {
    for (int step = kLaneCount / 2; step > 0; step /= 2) {
      for (int lane = 0; lane < step; ++lane) partial[lane] = __fadd_rn(partial[lane], partial[lane + step]);
    }
    return partial[0];
  }
};

// Blocks are whole tiles: their lengths are multiples of 16.
struct BlockSum {
  float acc = 0.0f, t = 0.0f;
  NARROWGATE_DEVICE void add(const Arguments&, std::int64_t, float a, float b) { t = __fmaf_rn(b, a, t); }
  NARROWGATE_DEVICE void end_tile(const Arguments& args, std::int64_t end, std::int64_t row, std::int64_t col) {
    if (end % args.length != 0 && end < args.a.cols()) return;
    const std::int64_t block = (end - 1) / args.length;
    if (block >= args.scales.a.cols) return;
    acc = __fmaf_rn(t, __fmul_rn(args.scales.a(row, block), args.scales.b(block, col)), acc);
    t = 0.0f;
  }
  NARROWGATE_DEVICE float total() { return acc; }
};

template <class Sum>
__global__ void __launch_bounds__(kTile* kTile) tiled(Arguments args) {
  NARROWGATE_SHARED(float, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(float, b_tile, [kTile][kTile]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const bool is_inside = row < args.c.rows && col < args.c.cols;
  const std::int64_t depth = args.a.cols();

  Sum sum;
  for (std::int64_t k0 = 0; k0 < depth; k0 += kTile) {
    // Elements beyond the edge are zeros: fma(0, b, acc) leaves acc as it is.
    a_tile[ty][tx] = row < args.c.rows && k0 + tx < depth ? args.a(row, k0 + tx) : 0.0f;
    b_tile[ty][tx] = k0 + ty < depth && col < args.c.cols ? args.b(k0 + ty, col) : 0.0f;
    __syncthreads();  // both tiles are complete before anyone reads them
    for (int k = 0; k < kTile; ++k) sum.add(args, k0 + k, a_tile[ty][k], b_tile[k][tx]);
    if (is_inside) sum.end_tile(args, k0 + kTile < depth ? k0 + kTile : depth, row, col);
    __syncthreads();  // everyone has read before the next step overwrites the tiles
  }
  if (is_inside) args.c(row, col) = args.epilogue(sum.total(), row, col);
}

void run(const Arguments& args, Stream stream) {
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  const simt::LaunchShape shape{"decoded.tiled", {tiles(args.c.cols), tiles(args.c.rows)}, {kTile, kTile}};
  switch (args.order) {
    case Accumulation::Order::kLanes: launch(shape, stream, tiled<LaneSum>, args); break;
    case Accumulation::Order::kBlocks: launch(shape, stream, tiled<BlockSum>, args); break;
    default: launch(shape, stream, tiled<ChainSum>, args); break;
  }
}

// fp32.chain has a file of its own, and compressed weights another.
bool computes(const Scheme& scheme) {
  return computes_floats(scheme) && scheme.storage == Storage::kDense &&
         !(scheme.family == "fp32" && scheme.accumulation == Accumulation::chain());
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(tiled) = {.folder = "decoded",
                                   .name = NARROWGATE_DEVICE_NAME("tiled"),
                                   .backend = kDeviceBackend,
                                   .contract = Contract::kExact,
                                   .arithmetic = "codes decoded to FP32, fused multiply-adds on CUDA cores; no tensor core is used",
                                   .source = "kernels/decoded/tiled.cu",
                                   .computes = computes,
                                   .unsupported = supports_everything,
                                   .bind = bind<place_tiles, run>};

}  // namespace narrowgate::decoded
