// fp32, cuda.splitk: few rows and columns but a deep k leave most of a device idle where a block owns a tile of C for
// the whole of k. Here k is cut into S slices; each block sums one slice of one tile into a workspace, and a second
// pass adds the S partial sums of an element in ascending order. No atomics: two runs give the same bits.
//
// The order is not the scheme's chain, so the kernel is bounded. On its way a product meets the roundings of its
// slice's chain and of the S additions: t = slice length + S.
// cuBLAS splits k by its own choice, which changes with device and version; this kernel shows what splitting does alone.
#include <algorithm>

#include "kernels/epilogue.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::fp32 {
namespace {

constexpr int kTile = 16;
constexpr int kAdders = 256;                 // threads of a block of the second pass
constexpr std::int64_t kWantedBlocks = 256;  // enough for any device at hand
constexpr std::int64_t kShortestSlice = 64;  // below it the second pass costs more than the first saves

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

// How k is cut; by the shape alone, so that every device gives the same bits.
struct Slices {
  std::int64_t length;  // whole tiles
  std::int64_t count;
};

Slices slices_of(Shape shape) {
  const std::int64_t tiles = divide_up(shape.m, kTile) * divide_up(shape.n, kTile);
  const std::int64_t wanted =
      std::min(divide_up(kWantedBlocks, tiles), std::max<std::int64_t>(1, shape.k / kShortestSlice));
  const std::int64_t length = divide_up(divide_up(shape.k, wanted), kTile) * kTile;
  return {length, divide_up(shape.k, length)};
}

std::int64_t roundings(Shape shape) {
  const Slices slices = slices_of(shape);
  return slices.length + slices.count;
}

// A[m×k], B[k×n], C[m×n], row-major with leading dimensions; partial[S×(m·n)].
struct Arguments {
  View<const float> a;
  View<const float> b;
  View<float> c;
  View<float> partial;
  std::int64_t slice_length;
  Epilogue epilogue;
};

Arguments place_slices(const Operands& operands, View<float> c, Memory& memory) {
  const Slices slices = slices_of(operands.shape());
  return {memory.place("A", operands.a.values.view()),
          memory.place("B", operands.b.values.view()),
          c,
          memory.scratch<float>("partial sums", slices.count, c.rows * c.cols),
          slices.length,
          place_epilogue(operands, memory)};
}

__global__ void __launch_bounds__(kTile* kTile) sum_slices(Arguments args) {
  NARROWGATE_SHARED(float, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(float, b_tile, [kTile][kTile]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const std::int64_t slice = blockIdx.z;
  const std::int64_t depth = args.a.cols;
  const std::int64_t first = slice * args.slice_length;
  const std::int64_t last = first + args.slice_length < depth ? first + args.slice_length : depth;

  float acc = 0.0f;
  for (std::int64_t k0 = first; k0 < last; k0 += kTile) {
    // Elements beyond the edge are zeros: fma(0, b, acc) leaves acc as it is. Slices are whole tiles.
    a_tile[ty][tx] = row < args.c.rows && k0 + tx < depth ? args.a(row, k0 + tx) : 0.0f;
    b_tile[ty][tx] = k0 + ty < depth && col < args.c.cols ? args.b(k0 + ty, col) : 0.0f;
    __syncthreads();  // both tiles are complete before anyone reads them
    NARROWGATE_UNROLL
    for (int k = 0; k < kTile; ++k) acc = __fmaf_rn(a_tile[ty][k], b_tile[k][tx], acc);
    __syncthreads();  // everyone has read before the next step overwrites the tiles
  }
  if (row < args.c.rows && col < args.c.cols) args.partial(slice, row * args.c.cols + col) = acc;
}

__global__ void __launch_bounds__(kAdders) add_slices(Arguments args) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kAdders + threadIdx.x;
  if (element >= args.partial.cols) return;
  float sum = args.partial(0, element);
  for (std::int64_t slice = 1; slice < args.partial.rows; ++slice) sum = __fadd_rn(sum, args.partial(slice, element));
  const std::int64_t row = element / args.c.cols, col = element % args.c.cols;
  args.c(row, col) = args.epilogue(sum, row, col);
}

void run(const Arguments& args, Stream stream) {
  const auto blocks = [](std::int64_t extent, int of) { return static_cast<unsigned>(divide_up(extent, of)); };
  const unsigned count = static_cast<unsigned>(args.partial.rows);
  // On one stream the second launch begins when the first has ended.
  launch({"fp32.splitk", {blocks(args.c.cols, kTile), blocks(args.c.rows, kTile), count}, {kTile, kTile}}, stream,
         sum_slices, args);
  launch({"fp32.splitk", {blocks(args.partial.cols, kAdders)}, {kAdders}}, stream, add_slices, args);
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(splitk) = {
    .folder = "fp32",
    .name = NARROWGATE_DEVICE_NAME("splitk"),
    .backend = kDeviceBackend,
    .contract = Contract::kBounded,
    .precision = Precision{.unit_roundoff_bits = 24, .roundings = roundings},
    .arithmetic = "FP32 fused multiply-adds on CUDA cores, k in slices; no tensor core is used",
    .source = "kernels/fp32/splitk.cu",
    .computes =
        [](const Scheme& scheme) { return scheme.family == "fp32" && scheme.accumulation == Accumulation::chain(); },
    .unsupported = supports_everything,
    .bind = bind<place_slices, run>};

}  // namespace narrowgate::fp32
