// sparse24, cuda.tiled: one thread computes one element of C and multiplies only what was kept. A tile of A lies in
// shared memory, from where each kept value picks its element; values and places of B are read once, coalesced over n.
// cuSPARSELt does this on sparse tensor cores, in a layout and, for floats, an order of its own.
#include "kernels/simt/device_words.h"
#include "kernels/sparse24/sparse24.h"

namespace narrowgate::sparse24 {
namespace {

constexpr int kTile = 16;
constexpr int kDepth = 2 * kTile;  // k of a tile: 16 kept values

// T is float or std::int8_t, Sum float or std::int32_t.
template <class T, class Sum, class Finish>
NARROWGATE_DEVICE void multiply(const Compressed<T>& operands, View<float> c, const Finish& finish) {
  NARROWGATE_SHARED(T, a_tile, [kTile][kDepth]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const bool is_inside = row < c.rows && col < c.cols;

  Sum acc{};
  for (std::int64_t k0 = 0; k0 < operands.a.cols; k0 += kDepth) {
    for (int k = tx; k < kDepth; k += kTile) {
      // Elements beyond the edge are zeros, and so are the values that would meet them.
      a_tile[ty][k] = row < c.rows && k0 + k < operands.a.cols ? operands.a(row, k0 + k) : T{};
    }
    __syncthreads();  // the tile is complete before anyone reads it
    const std::int64_t first = k0 / 2;
    for (std::int64_t kept = first; is_inside && kept < first + kTile && kept < operands.values.rows; ++kept) {
      const T a = a_tile[ty][operands.k_of(kept, col) - k0];
      const T b = operands.values(kept, col);
      if constexpr (sizeof(T) == 1) acc += a * b;
      else acc = __fmaf_rn(b, a, acc);
    }
    __syncthreads();  // everyone has read before the next step overwrites the tile
  }
  if (is_inside) c(row, col) = finish(acc, row, col);
}

__global__ void __launch_bounds__(kTile* kTile) floats(FloatArguments args) {
  multiply<float, float>(args.operands, args.c, args.epilogue);
}

struct FinishInteger {
  const int8::Arguments& dense;
  NARROWGATE_DEVICE float operator()(std::int32_t acc, std::int64_t row, std::int64_t col) const {
    return dense.finish(acc, row, col);
  }
};

__global__ void __launch_bounds__(kTile* kTile) integers(IntegerArguments args) {
  multiply<std::int8_t, std::int32_t>(args.operands, args.dense.c, FinishInteger{args.dense});
}

simt::LaunchShape launch_shape(View<float> c) {
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  return {"sparse24.tiled", {tiles(c.cols), tiles(c.rows)}, {kTile, kTile}};
}

Launch bind_compressed(const Operands& operands, View<float> c, Memory& memory) {
  const Stream stream = memory.stream();
  if (operands.b.is_float()) {
    return [args = place_floats(operands, c, memory), stream] { launch(launch_shape(args.c), stream, floats, args); };
  }
  return [args = place_integers(operands, c, memory), stream] { launch(launch_shape(args.dense.c), stream, integers, args); };
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(tiled) = {.folder = "sparse24",
                                   .name = NARROWGATE_DEVICE_NAME("tiled"),
                                   .backend = kDeviceBackend,
                                   .contract = Contract::kExact,
                                   .arithmetic = "two of four products on CUDA cores; no tensor core is used",
                                   .source = "kernels/sparse24/tiled.cu",
                                   .computes = computes_compressed,
                                   .unsupported = supports_everything,
                                   .bind = bind_compressed};

}  // namespace narrowgate::sparse24
