// The tiled CUDA kernels with one wrong line each, run by the SIMT executor. A bug of kNone gives the scheme's answer.
// Every shared index stays in bounds and every write within the guard bands: what is wrong shows in the output alone.
#include "kernels/decoded/codes.h"
#include "kernels/decoded/decoded.h"
#include "kernels/int8/int8.h"
#include "kernels/simt/device_words.h"
#include "suites/selftest/kernel_mutants.h"

namespace narrowgate::selftest {
namespace {

constexpr int kTile = 16;

enum class Bug {
  kNone,
  kNoFirstBarrier,
  kNoSecondBarrier,
  kSharedIndexSwapped,
  kTailTooFar,
  kTailDropped,
  kColumnTooMany,
  kRowTooMany,
  kTileTransposed,
  kTileOfWrongColumn,
  kNibblesSwapped,  // of packed weights alone
};

// What differs between integer and float tiles.
struct IntegerTiles {
  using Element = std::int8_t;
  using Sum = std::int32_t;
  int8::Arguments args;
  NARROWGATE_DEVICE View<float> c() const { return args.c; }
  NARROWGATE_DEVICE std::int64_t depth() const { return args.a.cols; }
  NARROWGATE_DEVICE Element a(std::int64_t row, std::int64_t k) const { return args.a(row, k); }
  NARROWGATE_DEVICE Element b(std::int64_t k, std::int64_t col) const { return args.b(k, col); }
  NARROWGATE_DEVICE static Sum add(Sum acc, Element b, Element a) { return acc + a * b; }
  NARROWGATE_DEVICE float finish(Sum acc, std::int64_t row, std::int64_t col) const { return args.finish(acc, row, col); }
};

struct FloatTiles {
  using Element = float;
  using Sum = float;
  decoded::Codes a_codes, b_codes;
  View<float> output;
  Epilogue epilogue;
  NARROWGATE_DEVICE View<float> c() const { return output; }
  NARROWGATE_DEVICE std::int64_t depth() const { return a_codes.cols(); }
  NARROWGATE_DEVICE Element a(std::int64_t row, std::int64_t k) const { return a_codes(row, k); }
  NARROWGATE_DEVICE Element b(std::int64_t k, std::int64_t col) const { return b_codes(k, col); }
  NARROWGATE_DEVICE static Sum add(Sum acc, Element b, Element a) { return __fmaf_rn(b, a, acc); }
  NARROWGATE_DEVICE float finish(Sum acc, std::int64_t row, std::int64_t col) const { return epilogue(acc, row, col); }
};

// 4-bit weights, two in a byte along k: the first in the low half.
template <Bug kBug>
struct PackedTiles : FloatTiles {
  View<const std::uint8_t> packed;  // ⌈k/2⌉×n
  bool is_signed;
  NARROWGATE_DEVICE Element b(std::int64_t k, std::int64_t col) const {
    const bool is_high = (k % 2 == 1) != (kBug == Bug::kNibblesSwapped);
    const int bits = packed(k / 2, col) >> (is_high ? 4 : 0) & 15;
    const int code = is_signed && bits > 7 ? bits - 16 : bits;
    const std::int64_t at = b_codes.block(k, col);
    const auto value = static_cast<float>(code);
    return (b_codes.zero_points == nullptr ? value : value - b_codes.zero_points[at]) * b_codes.scales[at];
  }
};

IntegerTiles place_integers(const Operands& operands, View<float> c, Memory& memory) { return {int8::place(operands, c, memory)}; }

FloatTiles place_tiles(const Operands& operands, View<float> c, Memory& memory) {
  return {decoded::place_codes("A", operands.a, BlockAxis::cols, operands.accumulation, memory),
          decoded::place_codes("B", operands.b, BlockAxis::rows, operands.accumulation, memory), c,
          place_epilogue(operands, memory)};
}

template <Bug kBug>
PackedTiles<kBug> place_packed(const Operands& operands, View<float> c, Memory& memory) {
  const Matrix<std::int8_t>& codes = operands.b.codes;
  Matrix<std::uint8_t> packed((codes.rows() + 1) / 2, codes.cols());
  for (std::int64_t k = 0; k < codes.rows(); ++k) {
    for (std::int64_t col = 0; col < codes.cols(); ++col) {
      const int bits = (codes(k, col) & 15) << (k % 2 == 0 ? 0 : 4);
      packed(k / 2, col) = static_cast<std::uint8_t>(packed(k / 2, col) | bits);
    }
  }
  PackedTiles<kBug> tiles{};
  static_cast<FloatTiles&>(tiles) = place_tiles(operands, c, memory);
  tiles.packed = memory.place("packed codes of B", std::as_const(packed).view());
  tiles.is_signed = operands.b.zero_points.empty() && operands.b.fractional_zero_points.empty();
  return tiles;
}

template <Bug kBug, class Tiles>
__global__ void __launch_bounds__(kTile* kTile) tiled(Tiles tiles) {
  NARROWGATE_SHARED(typename Tiles::Element, a_tile, [kTile][kTile]);
  NARROWGATE_SHARED(typename Tiles::Element, b_tile, [kTile][kTile]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const View<float> c = tiles.c();
  const std::int64_t row = std::int64_t{blockIdx.y} * kTile + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * kTile + tx;
  const std::int64_t depth = tiles.depth();
  const std::int64_t reach = depth + (kBug == Bug::kTailTooFar ? 1 : 0);
  const std::int64_t end = kBug == Bug::kTailDropped ? depth / kTile * kTile : depth;
  const std::int64_t b_col = kBug == Bug::kTileOfWrongColumn ? col % kTile : col;

  typename Tiles::Sum acc{};
  for (std::int64_t k0 = 0; k0 < end; k0 += kTile) {
    a_tile[ty][tx] = row < c.rows && k0 + tx < reach ? tiles.a(row, k0 + tx) : typename Tiles::Element{};
    b_tile[ty][tx] = k0 + ty < reach && b_col < c.cols ? tiles.b(k0 + ty, b_col) : typename Tiles::Element{};
    if constexpr (kBug != Bug::kNoFirstBarrier) __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      const auto b = kBug == Bug::kSharedIndexSwapped ? b_tile[tx][k] : b_tile[k][tx];
      acc = Tiles::add(acc, b, a_tile[ty][k]);
    }
    if constexpr (kBug != Bug::kNoSecondBarrier) __syncthreads();
  }
  const std::int64_t rows = c.rows + (kBug == Bug::kRowTooMany ? 1 : 0);
  const std::int64_t cols = c.cols + (kBug == Bug::kColumnTooMany ? 1 : 0);
  if (row >= rows || col >= cols) return;
  // Scales of a row or column that does not exist: its neighbour's.
  const std::int64_t of_row = row < c.rows ? row : c.rows - 1, of_col = col < c.cols ? col : c.cols - 1;
  const std::int64_t to_row = kBug == Bug::kTileTransposed ? row - ty + tx : row;
  const std::int64_t to_col = kBug == Bug::kTileTransposed ? col - tx + ty : col;
  if (to_row < rows && to_col < cols) c(to_row, to_col) = tiles.finish(acc, of_row, of_col);
}

template <Bug kBug, class Tiles>
void run(const Tiles& tiles, Stream stream) {
  const auto count = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  const View<float> c = tiles.c();
  launch({"selftest.tiled", {count(c.cols), count(c.rows)}, {kTile, kTile}}, stream, tiled<kBug, Tiles>, tiles);
}

bool computes_chains(const Scheme& scheme) {
  return scheme.accumulation == Accumulation::chain() && scheme.storage == Storage::kDense;
}
bool computes_dense_integers_tiled(const Scheme& scheme) {
  return int8::computes_integers(scheme) && scheme.storage == Storage::kDense;
}

constexpr Kernel tiled_kernel(bool (*computes)(const Scheme&), Launch (*bind)(const Operands&, View<float>, Memory&)) {
  return {.folder = "selftest",
          .name = NARROWGATE_DEVICE_NAME("mutant"),
          .backend = kDeviceBackend,
          .contract = Contract::kExact,
          .arithmetic = "the tiled kernel with one line changed",
          .source = "suites/selftest/tiled_mutants.cu",
          .computes = computes,
          .unsupported = supports_everything,
          .bind = bind};
}

template <Bug kBug>
constexpr Kernel integer_tiles = tiled_kernel(computes_dense_integers_tiled, bind<place_integers, run<kBug, IntegerTiles>>);
template <Bug kBug>
constexpr Kernel float_tiles = tiled_kernel(computes_chains, bind<place_tiles, run<kBug, FloatTiles>>);
template <Bug kBug>
constexpr Kernel packed_tiles = tiled_kernel(
    [](const Scheme& scheme) { return computes_chains(scheme) && scheme.id.find("w4a16") != std::string_view::npos; },
    bind<place_packed<kBug>, run<kBug, PackedTiles<kBug>>>);

template <Bug kBug>
Mutant tile_mutant(std::string_view name, std::string_view what) {
  return {.name = name,
          .kind = MutantKind::kernel,
          .what = what,
          .schemes = {"fp32.chain", "int8.column", "int8.token_zp", "w4a16.g128.rtn.chain", "mx.mxfp8_e4m3.rceil.chain"},
          .kernels = {&integer_tiles<kBug>, &float_tiles<kBug>}};
}

}  // namespace

std::vector<Mutant> tiled_mutants() {
  return {
      tile_mutant<Bug::kNoFirstBarrier>("first_barrier_missing", "a tile is read before all of it is there"),
      tile_mutant<Bug::kNoSecondBarrier>("second_barrier_missing", "a tile is overwritten while others still read it"),
      tile_mutant<Bug::kSharedIndexSwapped>("shared_index_swapped", "the tile of B is read by columns instead of rows"),
      // What lies there decides whether it matters: guard bands are large numbers as codes, and tiny ones as floats.
      {.name = "k_tail_too_far", .kind = MutantKind::kernel, .what = "the last tile holds one k that does not exist",
       .schemes = {"int8.tensor", "int8.column", "int8.token_zp"}, .kernels = {&integer_tiles<Bug::kTailTooFar>}},
      tile_mutant<Bug::kTailDropped>("k_tile_dropped", "the last tile is left out where it is not whole"),
      tile_mutant<Bug::kColumnTooMany>("column_bound_off_by_one", "the bound of the columns lets one too many through"),
      tile_mutant<Bug::kRowTooMany>("row_bound_off_by_one", "the bound of the rows lets one too many through"),
      tile_mutant<Bug::kTileTransposed>("tile_transposed", "each tile of the output is stored transposed"),
      tile_mutant<Bug::kTileOfWrongColumn>("tile_of_first_columns", "every tile multiplies the first 16 columns of B"),
      {.name = "nibbles_swapped", .kind = MutantKind::kernel, .what = "of two 4-bit codes in a byte the first is taken for the second",
       .schemes = {"w4a16.g128.rtn.chain", "w4a16.g128_zp.rtn.chain", "w4a16.g32.rtn.chain", "sparse24.prune.w4a16_g128.chain"},
       .kernels = {&packed_tiles<Bug::kNibblesSwapped>}},
  };
}

std::vector<const Kernel*> right_tiled_kernels() {
  return {&integer_tiles<Bug::kNone>, &float_tiles<Bug::kNone>, &packed_tiles<Bug::kNone>};
}

}  // namespace narrowgate::selftest
