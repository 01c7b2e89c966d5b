// int8, cuda.dp4a: four products an instruction. B is packed along k when the kernel is bound; a block computes 64×64
// of C, a thread 4×4 of them in registers, from tiles of 8 words (32 k) in shared memory.
// cuBLAS takes n % 4 == 0 only; this takes every shape, K % 4 tails as zeros. Integer sums: any order gives the bits.
#include "kernels/int8/packed_k.h"
#include "kernels/simt/device_words.h"

namespace narrowgate::int8 {
namespace {

constexpr int kBlock = 64;    // rows and columns of C
constexpr int kWords = 8;     // words of k of a tile
constexpr int kThreads = 256;
constexpr int kPer = 4;       // rows and columns of one thread, 16 apart

PackedArguments place_words(const Operands& operands, View<float> c, Memory& memory) {
  return place_packed(operands, c, memory, kWords);
}

__global__ void __launch_bounds__(kThreads) dp4a(PackedArguments args) {
  // An odd row length keeps neighbouring rows in different banks.
  NARROWGATE_SHARED(Word, a_tile, [kBlock][kWords + 1]);
  NARROWGATE_SHARED(Word, b_tile, [kBlock][kWords + 1]);
  const int thread = static_cast<int>(threadIdx.x);
  const int tx = thread % 16, ty = thread / 16;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kBlock, first_col = std::int64_t{blockIdx.x} * kBlock;

  std::int32_t acc[kPer][kPer] = {};
  for (std::int64_t word0 = 0; word0 < args.b.cols; word0 += kWords) {
    for (int i = thread; i < kBlock * kWords; i += kThreads) {
      a_tile[i / kWords][i % kWords] = word_of_a(args, first_row + i / kWords, word0 + i % kWords);
      b_tile[i / kWords][i % kWords] = word_of_b(args, first_col + i / kWords, word0 + i % kWords);
    }
    __syncthreads();  // both tiles are complete before anyone reads them
    NARROWGATE_UNROLL
    for (int w = 0; w < kWords; ++w) {
      Word a[kPer], b[kPer];
      NARROWGATE_UNROLL
      for (int i = 0; i < kPer; ++i) a[i] = a_tile[ty + 16 * i][w];
      NARROWGATE_UNROLL
      for (int j = 0; j < kPer; ++j) b[j] = b_tile[tx + 16 * j][w];
      NARROWGATE_UNROLL
      for (int i = 0; i < kPer; ++i) {
        NARROWGATE_UNROLL
        for (int j = 0; j < kPer; ++j) acc[i][j] = __dp4a(a[i], b[j], acc[i][j]);
      }
    }
    __syncthreads();  // everyone has read before the next step overwrites the tiles
  }
  NARROWGATE_UNROLL
  for (int i = 0; i < kPer; ++i) {
    const std::int64_t row = first_row + ty + 16 * i;
    NARROWGATE_UNROLL
    for (int j = 0; j < kPer; ++j) {
      const std::int64_t col = first_col + tx + 16 * j;
      if (row < args.dense.c.rows && col < args.dense.c.cols) {
        args.dense.c(row, col) = args.dense.finish(acc[i][j], row, col);
      }
    }
  }
}

void run(const PackedArguments& args, Stream stream) {
  const auto blocks = [](std::int64_t extent) { return static_cast<unsigned>((extent + kBlock - 1) / kBlock); };
  launch({"int8.dp4a", {blocks(args.dense.c.cols), blocks(args.dense.c.rows)}, {kThreads}}, stream, dp4a, args);
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(dp4a) = {.folder = "int8",
                                  .name = NARROWGATE_DEVICE_NAME("dp4a"),
                                  .backend = kDeviceBackend,
                                  .contract = Contract::kExact,
                                  .arithmetic = "four integer multiply-adds an instruction (dp4a) on CUDA cores",
                                  .source = "kernels/int8/dp4a.cu",
                                  .computes = [](const Scheme& scheme) {
                                    return computes_integers(scheme) && scheme.storage == Storage::kDense;
                                  },
                                  .unsupported = supports_everything,
                                  .bind = bind<place_words, run>};

}  // namespace narrowgate::int8
