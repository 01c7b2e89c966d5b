// int8, cuda.imma: integer tensor cores by warp-level mma. A block of four warps computes 128×128 of C, a warp 64×64.
// Tiles of 128 k lie in shared memory, up to three steps ahead where asynchronous copies exist; their 16-byte pieces are
// swizzled by row, so that the eight rows of a fragment meet no bank twice.
// The shape is m16n8k32 where the device has it (sm_80 on), pairs of m8n8k16 on sm_75: the sums are integers, so both
// give the scheme's bits. cuBLASLt does this faster through wgmma, for sizes and layouts of its own; this takes every
// shape and fuses the epilogue.
#include "kernels/int8/packed_k.h"
#include "kernels/simt/async_copy.h"
#include "kernels/simt/device_words.h"
#include "kernels/simt/load_matrices.h"
#include "kernels/simt/tensor_core.h"

namespace narrowgate::int8 {
namespace {

constexpr int kThreads = 128;
constexpr int kBlock = 128;              // rows and columns of C
constexpr int kWarpTile = 64;            // rows and columns of a warp
constexpr int kTileWords = 32;           // words of k of a tile
constexpr int kPieces = kTileWords / 4;  // 16-byte pieces of a tile's row
constexpr int kTile = kBlock * kTileWords;  // words of one operand's tile
constexpr int kStage = 2 * kTile;           // A's tile, then B's
constexpr int kRowTiles = kWarpTile / 16, kColTiles = kWarpTile / 8;
static_assert(kThreads == kBlock && kBlock * kBlock <= 2 * kStage);  // what store() needs

struct alignas(8) Pair {
  Word first, second;
};

PackedArguments place_words(const Operands& operands, View<float> c, Memory& memory) {
  return place_packed(operands, c, memory, kTileWords);
}

// The first word of a piece in a tile. Rows that differ by a multiple of eight are swizzled alike.
NARROWGATE_DEVICE int word_of_piece(int row, int piece) { return row * kTileWords + (piece ^ (row & (kPieces - 1))) * 4; }

constexpr int kRowsAtOnce = kThreads / kPieces;  // rows that the block loads together: a multiple of eight

// What a thread loads of every tile of an operand that lies inside the matrix: one piece of each sixteenth row.
struct Pieces {
  const unsigned char* first;  // at word 0
  std::int64_t step;           // bytes from one to the next
  std::int64_t words;          // tiles that end up to this word lie inside; 0 where rows do not, or are not aligned

  template <class T>
  NARROWGATE_DEVICE static Pieces of(View<const T> rows, std::int64_t first_row, bool is_aligned) {
    const std::int64_t row_bytes = rows.ld * static_cast<std::int64_t>(sizeof(T));
    const auto thread = static_cast<std::int64_t>(threadIdx.x);
    const std::int64_t offset = (first_row + thread / kPieces) * row_bytes + thread % kPieces * 16;
    const bool is_inside = is_aligned && first_row + kBlock <= rows.rows;
    return {reinterpret_cast<const unsigned char*>(rows.data) + offset, kRowsAtOnce * row_bytes,
            is_inside ? rows.cols * static_cast<std::int64_t>(sizeof(T)) / 4 : 0};
  }
};

// Brings a tile to words[tile…]; at the edges of the matrix word by word, `at(row of the tile, word)`.
template <class Words, class At>
NARROWGATE_DEVICE void start_tile(const Pieces& pieces, At at, std::int64_t first_word, Words words, int tile) {
  const int thread = static_cast<int>(threadIdx.x);
  if (first_word + kTileWords <= pieces.words) {
    const int to = tile + word_of_piece(thread / kPieces, thread % kPieces);
    const unsigned char* from = pieces.first + 4 * first_word;
    NARROWGATE_UNROLL
    for (int i = 0; i < kBlock / kRowsAtOnce; ++i, from += pieces.step) start_copy(words, to + i * kRowsAtOnce * kTileWords, from);
    return;
  }
  NARROWGATE_ROLLED
  for (int i = thread; i < kTile; i += kThreads) {
    const int row = i / kTileWords, word = i % kTileWords;
    words[tile + word_of_piece(row, word / 4) + word % 4] = at(row, first_word + word);
  }
}

// Thirty-two k, two pieces: the fragments of a warp's rows and columns, and their products. Pieces 2·step and 2·step + 1
// lie where pieces 0 and 1 do, but for the bits of 8·step: the swizzle is an exclusive or.
template <class Words>
NARROWGATE_DEVICE void multiply_step(Words words, int stage, int step, int warp_row, int warp_col,
                                     std::int32_t (&acc)[kRowTiles][kColTiles][4]) {
  Word b[kColTiles][2];
  NARROWGATE_UNROLL
  for (int j = 0; j < kColTiles; j += 2) {  // columns j·8…, both halves of k; then the next eight columns
    Word pair[4];
    load_matrices(pair, words, [=](int matrix, int row) {
      return stage + kTile + (warp_col + j * 8) * kTileWords + (word_of_piece(matrix / 2 * 8 + row, matrix % 2) ^ step * 8);
    });
    b[j][0] = pair[0];
    b[j][1] = pair[1];
    b[j + 1][0] = pair[2];
    b[j + 1][1] = pair[3];
  }
  Word a[kRowTiles][4];
  NARROWGATE_UNROLL
  for (int i = 0; i < kRowTiles; ++i) {  // sixteen rows of the first half of k, then of the second
    load_matrices(a[i], words, [=](int matrix, int row) {
      return stage + (warp_row + i * 16) * kTileWords + (word_of_piece(matrix % 2 * 8 + row, matrix / 2) ^ step * 8);
    });
  }
  NARROWGATE_UNROLL
  for (int i = 0; i < kRowTiles; ++i) {
    NARROWGATE_UNROLL
    for (int j = 0; j < kColTiles; ++j) mma_16x8x32(acc[i][j], a[i], b[j]);
  }
}

// Where the sum of an element of the block lies: pairs of columns of four rows meet no bank twice.
NARROWGATE_DEVICE int word_of_sum(int row, int col) { return row * kBlock + (col ^ (row & 3) * 8); }

NARROWGATE_DEVICE bool is_plain(const Arguments& args) {
  return args.a_zero_points == nullptr && args.outlier_a.cols == 0 && args.epilogue.bias == nullptr &&
         args.epilogue.a_scales != nullptr && args.epilogue.output == OutputFormat::kFp32;
}

// The running thread's column of the block.
template <class Words>
NARROWGATE_DEVICE void finish_column(const Arguments& args, std::int64_t first_row, std::int64_t col, Words words) {
  const int thread = static_cast<int>(threadIdx.x);
  const Arguments::Column column = args.column(col);
  constexpr int kAtOnce = 8;  // rows whose scales are under way together
  NARROWGATE_ROLLED
  for (int row0 = 0; row0 < kBlock && first_row + row0 < args.c.rows; row0 += kAtOnce) {
    float values[kAtOnce];
    NARROWGATE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int64_t row = first_row + row0 + i;
      const std::int32_t sum = words[word_of_sum(row0 + i, thread)];
      values[i] = row < args.c.rows ? args.finish(sum, row, col, column) : 0.0f;
    }
    NARROWGATE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      if (first_row + row0 + i < args.c.rows) args.c(first_row + row0 + i, col) = values[i];
    }
  }
}

// The sums go through shared memory: one rolled loop finishes them, neighbours in a row side by side.
template <class Words>
NARROWGATE_DEVICE void store(const Arguments& args, std::int64_t first_row, std::int64_t first_col, int warp_row,
                             int warp_col, Words words, const std::int32_t (&acc)[kRowTiles][kColTiles][4]) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  NARROWGATE_UNROLL
  for (int i = 0; i < kRowTiles; ++i) {
    NARROWGATE_UNROLL
    for (int j = 0; j < kColTiles; ++j) {
      NARROWGATE_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int row = warp_row + i * 16 + lane / 4 + half * 8, col = warp_col + j * 8 + lane % 4 * 2;
        store_vector(words, word_of_sum(row, col), Pair{acc[i][j][2 * half], acc[i][j][2 * half + 1]});
      }
    }
  }
  __syncthreads();  // all sums of the block are there
  const std::int64_t col = first_col + thread;
  if (col >= args.c.cols) return;
  if (is_plain(args)) {
    // The same formula, but the compiler sees that half of it has nothing to do.
    Arguments plain = args;
    plain.a_zero_points = nullptr;
    plain.outlier_a.cols = 0;
    plain.epilogue.bias = nullptr;
    plain.epilogue.output = OutputFormat::kFp32;
    finish_column(plain, first_row, col, words);
  } else {
    finish_column(args, first_row, col, words);
  }
}

template <int kStages>
__global__ void __launch_bounds__(kThreads, 2) imma(PackedArguments args) {
  NARROWGATE_DYNAMIC_SHARED(Word, words);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 2 * kWarpTile, warp_col = warp % 2 * kWarpTile;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kBlock, first_col = std::int64_t{blockIdx.x} * kBlock;
  const std::int64_t depth = args.b.cols;  // words, a multiple of a tile's
  const Pieces a_pieces = Pieces::of(args.dense.a, first_row, args.a_is_aligned);
  const Pieces b_pieces = Pieces::of(args.b, first_col, args.b_is_aligned);
  const auto start = [&](std::int64_t word, int stage) {
    if (word < depth) {
      start_tile(a_pieces, [&](int row, std::int64_t at) { return word_of_a(args, first_row + row, at); }, word, words, stage * kStage);
      start_tile(b_pieces, [&](int col, std::int64_t at) { return word_of_b(args, first_col + col, at); }, word, words, stage * kStage + kTile);
    }
    commit_copies();
  };

  std::int32_t acc[kRowTiles][kColTiles][4] = {};
  for (int stage = 0; stage < kStages - 1; ++stage) start(stage * kTileWords, stage);
  int stage = 0;
  for (std::int64_t word = 0; word < depth; word += kTileWords) {
    wait_copies<kStages - 2>();
    __syncthreads();  // this tile is complete, and everyone is done with the one that is overwritten now
    start(word + (kStages - 1) * kTileWords, (stage + kStages - 1) % kStages);
    NARROWGATE_UNROLL
    for (int step = 0; step < kTileWords / 8; ++step) multiply_step(words, stage * kStage, step, warp_row, warp_col, acc);
    stage = (stage + 1) % kStages;
  }
  wait_copies<0>();
  __syncthreads();  // the last tile has been read, and no copy is under way
  store(args.dense, first_row, first_col, warp_row, warp_col, words, acc);
}

void run(const PackedArguments& args, Stream stream) {
  const auto blocks = [](std::int64_t extent) { return static_cast<unsigned>((extent + kBlock - 1) / kBlock); };
  const auto launch_with = [&](int stages, void (*kernel)(PackedArguments)) {
    launch({"int8.imma", {blocks(args.dense.c.cols), blocks(args.dense.c.rows)}, {kThreads}, stages * kStage * sizeof(Word)},
           stream, kernel, args);
  };
  // Two blocks of three stages need 192 KiB of a multiprocessor; sm_75 has 64.
  if (dynamic_shared_limit() >= 3 * kStage * sizeof(Word)) {
    launch_with(3, imma<3>);
  } else {
    launch_with(2, imma<2>);
  }
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(imma) = {.folder = "int8",
                                  .name = NARROWGATE_DEVICE_NAME("imma"),
                                  .backend = kDeviceBackend,
                                  .contract = Contract::kExact,
                                  .arithmetic = "integer tensor cores (warp-level mma)",
                                  .source = "kernels/int8/imma.cu",
                                  .computes = [](const Scheme& scheme) {
                                    return computes_integers(scheme) && scheme.storage == Storage::kDense;
                                  },
                                  .unsupported = supports_everything,
                                  .bind = bind<place_words, run>};

}  // namespace narrowgate::int8
