// fp32, cuda.regtile: the next rung after tiled. A block computes 128×128 of C, each of its 256 threads 8×8 of them in
// registers, so an element of a tile is read from shared memory once for 8 multiply-adds; the next tiles are loaded into
// registers while the current ones are multiplied, 16 bytes at a time where alignment allows.
// Every element is still one chain over ascending k: the scheme's bits. cuBLAS does this job and is the measure.
#include "kernels/epilogue.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::fp32 {
namespace {

constexpr int kBlock = 128;       // rows and columns of C
constexpr int kDepth = 8;         // k of a tile
constexpr int kThreads = 256;     // 16×16
constexpr int kPer = 8;           // rows and columns of C of one thread: two runs of four, 64 apart
constexpr int kHalf = kBlock / 2;

struct alignas(16) Four {
  float x, y, z, w;
};

struct Arguments {
  View<const float> a;
  View<const float> b;
  View<float> c;
  Epilogue epilogue;
  bool a_is_aligned, b_is_aligned;  // 16-byte loads along rows are allowed
};

bool is_aligned(View<const float> x) { return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.ld % 4 == 0; }

Arguments place_aligned(const Operands& operands, View<float> c, Memory& memory) {
  const View<const float> a = memory.place("A", operands.a.values.view());
  const View<const float> b = memory.place("B", operands.b.values.view());
  return {a, b, c, place_epilogue(operands, memory), is_aligned(a), is_aligned(b)};
}

// Four neighbours of a row, zeros beyond the edges.
NARROWGATE_DEVICE Four load_four(View<const float> x, std::int64_t row, std::int64_t col, bool aligned) {
  if (row >= x.rows) return Four{0, 0, 0, 0};
  const float* from = x.row(row) + col;
  if (aligned && col + 4 <= x.cols) return *reinterpret_cast<const Four*>(from);
  Four value{0, 0, 0, 0};
  if (col + 0 < x.cols) value.x = from[0];
  if (col + 1 < x.cols) value.y = from[1];
  if (col + 2 < x.cols) value.z = from[2];
  if (col + 3 < x.cols) value.w = from[3];
  return value;
}

NARROWGATE_DEVICE void unpack(Four value, float* to) {
  to[0] = value.x;
  to[1] = value.y;
  to[2] = value.z;
  to[3] = value.w;
}

__global__ void __launch_bounds__(kThreads) regtile(Arguments args) {
  // A lies transposed, so that a thread reads its eight rows of one k side by side; padding spreads the writes.
  NARROWGATE_SHARED(float, a_tile, [2][kDepth][kBlock + 4]);
  NARROWGATE_SHARED(float, b_tile, [2][kDepth][kBlock]);
  const int thread = static_cast<int>(threadIdx.x);
  const int tx = thread % 16, ty = thread / 16;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kBlock, first_col = std::int64_t{blockIdx.x} * kBlock;
  // What this thread loads of each tile: four k of one row of A, four columns of one k of B.
  const int a_row = thread / 2, a_k = thread % 2 * 4, b_k = thread / 32, b_col = thread % 32 * 4;

  float acc[kPer][kPer] = {};
  Four next_a = load_four(args.a, first_row + a_row, a_k, args.a_is_aligned);
  Four next_b = load_four(args.b, b_k, first_col + b_col, args.b_is_aligned);
  int stage = 0;
  for (std::int64_t k0 = 0; k0 < args.a.cols; k0 += kDepth, stage ^= 1) {
    a_tile[stage][a_k + 0][a_row] = next_a.x;
    a_tile[stage][a_k + 1][a_row] = next_a.y;
    a_tile[stage][a_k + 2][a_row] = next_a.z;
    a_tile[stage][a_k + 3][a_row] = next_a.w;
    store_vector(b_tile[stage][b_k], b_col, next_b);
    // One barrier a tile: the other stage was last read before the previous barrier.
    __syncthreads();
    if (k0 + kDepth < args.a.cols) {
      next_a = load_four(args.a, first_row + a_row, k0 + kDepth + a_k, args.a_is_aligned);
      next_b = load_four(args.b, k0 + kDepth + b_k, first_col + b_col, args.b_is_aligned);
    }
    NARROWGATE_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      float a[kPer], b[kPer];
      unpack(load_vector<Four>(a_tile[stage][k], ty * 4), a);
      unpack(load_vector<Four>(a_tile[stage][k], kHalf + ty * 4), a + 4);
      unpack(load_vector<Four>(b_tile[stage][k], tx * 4), b);
      unpack(load_vector<Four>(b_tile[stage][k], kHalf + tx * 4), b + 4);
      NARROWGATE_UNROLL
      for (int i = 0; i < kPer; ++i) {
        NARROWGATE_UNROLL
        for (int j = 0; j < kPer; ++j) acc[i][j] = __fmaf_rn(a[i], b[j], acc[i][j]);
      }
    }
  }
  NARROWGATE_UNROLL
  for (int i = 0; i < kPer; ++i) {
    const std::int64_t row = first_row + i / 4 * kHalf + ty * 4 + i % 4;
    NARROWGATE_UNROLL
    for (int j = 0; j < kPer; ++j) {
      const std::int64_t col = first_col + j / 4 * kHalf + tx * 4 + j % 4;
      if (row < args.c.rows && col < args.c.cols) args.c(row, col) = args.epilogue(acc[i][j], row, col);
    }
  }
}

void run(const Arguments& args, Stream stream) {
  const auto blocks = [](std::int64_t extent) { return static_cast<unsigned>((extent + kBlock - 1) / kBlock); };
  launch({"fp32.regtile", {blocks(args.c.cols), blocks(args.c.rows)}, {kThreads}}, stream, regtile, args);
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(regtile) = {.folder = "fp32",
                                     .name = NARROWGATE_DEVICE_NAME("regtile"),
                                     .backend = kDeviceBackend,
                                     .contract = Contract::kExact,
                                     .arithmetic = "FP32 fused multiply-adds on CUDA cores; no tensor core is used",
                                     .source = "kernels/fp32/regtile.cu",
                                     .computes = [](const Scheme& scheme) {
                                       return scheme.family == "fp32" && scheme.accumulation == Accumulation::chain();
                                     },
                                     .unsupported = supports_everything,
                                     .bind = bind<place_aligned, run>};

}  // namespace narrowgate::fp32
