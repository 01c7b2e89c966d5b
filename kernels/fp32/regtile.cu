// fp32, cuda.regtile: the next rung after tiled. A block computes 256×128 of C, each of its eight warps 128×32 and each
// thread 16×8 of them in registers, so an element of a tile is read from shared memory once for 8 or 16 multiply-adds;
// a warp reads four 16-byte pieces of A or eight of B at a time, which meet no bank twice. The next tiles are loaded into
// registers while the current ones are multiplied.
// Every element is still one chain over ascending k: the scheme's bits. cuBLAS does this job and is the measure.
#include "kernels/epilogue.h"
#include "kernels/simt/device_words.h"
#include "kernels/simt/load_ahead.h"

namespace narrowgate::fp32 {
namespace {

constexpr int kThreads = 256;
constexpr int kRows = 256, kCols = 128;  // of C, of a block
constexpr int kDepth = 8;                // k of a tile
constexpr int kWarpRows = 128, kWarpCols = 32;
constexpr int kPerRow = 16, kPerCol = 8;  // rows and columns of C of one thread: runs of four
constexpr int kRowRuns = 32, kColRuns = 16;  // distance of those runs: 8 and 4 threads of a warp lie side by side
constexpr int kLoadsA = kRows * kDepth / 4 / kThreads, kLoadsB = kCols * kDepth / 4 / kThreads;

struct alignas(16) Four {
  float x, y, z, w;
};

struct Arguments {
  View<const float> a;
  View<const float> b;
  View<float> c;
  Epilogue epilogue;
  bool a_is_aligned, b_is_aligned, c_is_aligned;  // 16-byte accesses along rows are allowed
};

bool is_aligned(View<const float> x) { return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.ld % 4 == 0; }

Arguments place_aligned(const Operands& operands, View<float> c, Memory& memory) {
  const View<const float> a = memory.place("A", operands.a.values.view());
  const View<const float> b = memory.place("B", operands.b.values.view());
  return {a, b, c, place_epilogue(operands, memory), is_aligned(a), is_aligned(b), is_aligned(c)};
}

// The first row and column of C, in the block, of the running thread.
NARROWGATE_DEVICE int thread_row() {
  return static_cast<int>(threadIdx.x) / 128 * kWarpRows + static_cast<int>(threadIdx.x) % 32 / 4 * 4;
}
NARROWGATE_DEVICE int thread_col() {
  return static_cast<int>(threadIdx.x) / 32 % 4 * kWarpCols + static_cast<int>(threadIdx.x) % 4 * 4;
}

// Four neighbours of a row, zeros beyond the edges.
NARROWGATE_DEVICE Four load_four(View<const float> x, std::int64_t row, std::int64_t col, bool aligned) {
  if (row >= x.rows) return Four{0, 0, 0, 0};
  const float* from = x.row(row) + col;
  if (aligned && col + 4 <= x.cols) return load_ahead(reinterpret_cast<const Four*>(from));
  Four value{0, 0, 0, 0};
  if (col + 0 < x.cols) value.x = from[0];
  if (col + 1 < x.cols) value.y = from[1];
  if (col + 2 < x.cols) value.z = from[2];
  if (col + 3 < x.cols) value.w = from[3];
  return value;
}

// The tiles of one step on their way through registers.
struct Staged {
  Four a[kLoadsA], b[kLoadsB];
};

template <class Load>
NARROWGATE_DEVICE void load_tiles(const Arguments& args, std::int64_t first_row, std::int64_t first_col, std::int64_t k0,
                                  Load load, Staged& to) {
  const int thread = static_cast<int>(threadIdx.x);
  NARROWGATE_UNROLL
  for (int i = 0; i < kLoadsA; ++i) {
    const int piece = thread + i * kThreads;
    to.a[i] = load(args.a, first_row + piece / (kDepth / 4), k0 + piece % (kDepth / 4) * 4, args.a_is_aligned);
  }
  NARROWGATE_UNROLL
  for (int i = 0; i < kLoadsB; ++i) {
    const int piece = thread + i * kThreads;
    to.b[i] = load(args.b, k0 + piece / (kCols / 4), first_col + piece % (kCols / 4) * 4, args.b_is_aligned);
  }
}

// `count` values of one k of a tile, in runs of four.
template <int kCount, class Row>
NARROWGATE_DEVICE void read_runs(Row row, int first, int run_distance, float (&to)[kCount]) {
  NARROWGATE_UNROLL
  for (int run = 0; run < kCount / 4; ++run) {
    const Four value = load_vector<Four>(row, first + run * run_distance);
    to[4 * run + 0] = value.x;
    to[4 * run + 1] = value.y;
    to[4 * run + 2] = value.z;
    to[4 * run + 3] = value.w;
  }
}

// The whole sum over k of a thread's elements. `load(view, row, col, aligned)` gives four neighbours of a row.
template <class TileA, class TileB, class Load>
NARROWGATE_DEVICE void accumulate(const Arguments& args, TileA a_tile, TileB b_tile, std::int64_t first_row,
                                  std::int64_t first_col, Load load, float (&acc)[kPerRow][kPerCol]) {
  const int thread = static_cast<int>(threadIdx.x);
  Staged staged;
  load_tiles(args, first_row, first_col, 0, load, staged);
  int stage = 0;
  for (std::int64_t k0 = 0; k0 < args.a.cols; k0 += kDepth, stage ^= 1) {
    // Before the barrier, which keeps the loads from being moved down to their use; the last tile is loaded twice.
    Staged next;
    load_tiles(args, first_row, first_col, k0 + kDepth < args.a.cols ? k0 + kDepth : k0, load, next);
    NARROWGATE_UNROLL
    for (int i = 0; i < kLoadsA; ++i) {
      const int row = (thread + i * kThreads) / (kDepth / 4), k = (thread + i * kThreads) % (kDepth / 4) * 4;
      a_tile[stage][k + 0][row] = staged.a[i].x;
      a_tile[stage][k + 1][row] = staged.a[i].y;
      a_tile[stage][k + 2][row] = staged.a[i].z;
      a_tile[stage][k + 3][row] = staged.a[i].w;
    }
    NARROWGATE_UNROLL
    for (int i = 0; i < kLoadsB; ++i) {
      const int piece = thread + i * kThreads;
      store_vector(b_tile[stage][piece / (kCols / 4)], piece % (kCols / 4) * 4, staged.b[i]);
    }
    // One barrier a tile: the other stage was last read before the previous barrier.
    __syncthreads();
    NARROWGATE_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      float a[kPerRow], b[kPerCol];
      read_runs(a_tile[stage][k], thread_row(), kRowRuns, a);
      read_runs(b_tile[stage][k], thread_col(), kColRuns, b);
      NARROWGATE_UNROLL
      for (int i = 0; i < kPerRow; ++i) {
        NARROWGATE_UNROLL
        for (int j = 0; j < kPerCol; ++j) acc[i][j] = __fmaf_rn(a[i], b[j], acc[i][j]);
      }
    }
    staged = next;
  }
}

NARROWGATE_DEVICE void store(const Arguments& args, std::int64_t first_row, std::int64_t first_col,
                             const float (&acc)[kPerRow][kPerCol]) {
  NARROWGATE_UNROLL
  for (int run = 0; run < kPerCol / 4; ++run) {
    const std::int64_t col = first_col + run * kColRuns;
    if (col >= args.c.cols) return;
    const int count = col + 4 <= args.c.cols ? 4 : static_cast<int>(args.c.cols - col);
    Epilogue::Column columns[4];
    NARROWGATE_UNROLL
    for (int j = 0; j < 4; ++j) columns[j] = args.epilogue.column(col + (j < count ? j : 0));
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerRow; ++i) {
      const std::int64_t row = first_row + i / 4 * kRowRuns + i % 4;
      if (row >= args.c.rows) continue;
      const auto element = [&](int j) { return args.epilogue.finish(acc[i][run * 4 + j], row, columns[j]); };
      float* const to = args.c.row(row) + col;
      if (count == 4 && args.c_is_aligned) {
        *reinterpret_cast<Four*>(to) = Four{element(0), element(1), element(2), element(3)};
      } else {
        NARROWGATE_UNROLL
        for (int j = 0; j < 4; ++j) {
          if (j < count) to[j] = element(j);
        }
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads) regtile(Arguments args) {
  // A lies transposed, so that a thread reads its rows of one k side by side; padding spreads the writes.
  NARROWGATE_SHARED(float, a_tile, [2][kDepth][kRows + 4]);
  NARROWGATE_SHARED(float, b_tile, [2][kDepth][kCols]);
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kRows, first_col = std::int64_t{blockIdx.x} * kCols;
  float acc[kPerRow][kPerCol] = {};
  // Most blocks lie inside the matrices: they load without asking at every element.
  if (args.a_is_aligned && args.b_is_aligned && first_row + kRows <= args.a.rows && first_col + kCols <= args.b.cols &&
      args.a.cols % kDepth == 0) {
    const auto load_inside = [](View<const float> x, std::int64_t row, std::int64_t col, bool) {
      return load_ahead(reinterpret_cast<const Four*>(x.row(row) + col));
    };
    accumulate(args, a_tile, b_tile, first_row, first_col, load_inside, acc);
  } else {
    accumulate(args, a_tile, b_tile, first_row, first_col, load_four, acc);
  }
  store(args, first_row + thread_row(), first_col + thread_col(), acc);
}

void run(const Arguments& args, Stream stream) {
  const auto blocks = [](std::int64_t extent, int size) { return static_cast<unsigned>((extent + size - 1) / size); };
  launch({"fp32.regtile", {blocks(args.c.cols, kCols), blocks(args.c.rows, kRows)}, {kThreads}}, stream, regtile, args);
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
