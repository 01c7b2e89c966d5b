// decoded, cuda.hmma: INT4 weights in groups of 128 times FP16 activations on tensor cores, for 2 to 64 tokens, where
// weights are read once for all of them. Codes less their zero point are small integers, exact in FP16; a group's sum of
// products is scaled once, in FP32. A block of four warps computes 16 channels: each warp takes every fourth group of k,
// and their sums are added in ascending order at the end, without atomics.
//
// The order is not the scheme's and scales stand outside the groups, so the kernel is bounded: a product meets the other
// products of its step, the steps of its group, one scaling, the groups of its warp and the four warps. Tensor cores cut
// bits off instead of rounding: u = 2⁻²³.
// No library multiplies FP16 by packed integers.
#include <algorithm>

#include "kernels/decoded/decoded.h"
#include "kernels/decoded/warp_packing.h"
#include "kernels/decoded/warp_weights.h"
#include "kernels/simt/device_words.h"
#include "kernels/simt/load_ahead.h"
#include "kernels/simt/tensor_core.h"

namespace narrowgate::decoded {
namespace {

constexpr int kGroup = 128;                          // k of one scale: four lanes of 32
constexpr int kSteps = kGroup / 16;                  // of mma
constexpr int kChannels = 16, kTileTokens = 8;       // of one mma
constexpr int kSlices = 4, kThreads = kSlices * 32;  // warps of a block
constexpr int kVector = 32;                          // codes of a piece
constexpr int kShortestStep = 8;                     // products of one step on sm_75

std::int64_t groups_of(std::int64_t depth) { return (depth + kGroup - 1) / kGroup; }

std::int64_t roundings(Shape shape) {
  return kShortestStep * 2 + kGroup / kShortestStep + 1 + (groups_of(shape.k) + kSlices - 1) / kSlices + kSlices;
}

// Activations of one step as a lane's fragment of B: k = 32·quad + 4·step + 0…3 of a group, token `lane / 4`.
struct alignas(8) Fragment {
  std::uint32_t words[2];
};

struct Arguments {
  View<const float> a;
  View<float> c;
  View<Fragment> fragments;  // token tiles × (groups · steps · lanes)
  Epilogue epilogue;
  PackedWeights weights;
  int groups;
};

Arguments place_groups(const Operands& operands, View<float> c, Memory& memory) {
  const std::int64_t groups = groups_of(operands.shape().k), tiles = (c.rows + kTileTokens - 1) / kTileTokens;
  return {memory.place("A", operands.a.values.view()), c,
          memory.scratch<Fragment>("fragments of A", tiles, groups * kSteps * 32), place_epilogue(operands, memory),
          place_packed_weights(operands.b, Accumulation::lanes(kVector), memory), static_cast<int>(groups)};
}

__global__ void __launch_bounds__(kThreads) pack_activations(Arguments args) {
  const std::int64_t at = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= args.fragments.cols) return;
  const std::int64_t lane = at % 32, step = at / 32 % kSteps, group = at / 32 / kSteps;
  const std::int64_t token = std::int64_t{blockIdx.y} * kTileTokens + lane / 4;
  float x[4];
  NARROWGATE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const std::int64_t k = group * kGroup + lane % 4 * kVector + step * 4 + i;
    x[i] = token < args.a.rows && k < args.a.cols ? args.a(token, k) : 0.0f;
  }
  args.fragments(blockIdx.y, at) = Fragment{{floats_to_halves(x[0], x[1]), floats_to_halves(x[2], x[3])}};
}

// One channel's codes of a group that belong to this lane, with its scale and zero point.
struct ChannelGroup {
  SixteenBytes codes;
  float scale, above_zero;  // 2²³ + zero point

  NARROWGATE_DEVICE void from(const PackedWeights& weights, int channel, int group, int quad) {
    const int four = channel / kPackedChannels, within = channel % kPackedChannels;
    const int chunk = group / (32 / 4), lane = group % (32 / 4) * 4 + quad;
    codes = load_ahead(weights.pieces + ((four * weights.chunks + chunk) * kPackedChannels + within) * 32 + lane);
    const int at = (four * weights.groups + group) * kPackedChannels + within;
    scale = half_to_float(weights.scales[at]);
    const float zero = weights.zero_points == nullptr ? weights.common_zero_point : half_to_float(weights.zero_points[at]);
    above_zero = __fadd_rn(kTwoTo23, zero);
  }
  // Two neighbours, codes less zero point, as FP16: `pair` 0 or 1 of the step.
  NARROWGATE_DEVICE std::uint32_t halves(int step, int pair) const {
    const std::uint32_t word = codes.words[step / 2] >> (16 * (step % 2) + 8 * pair);
    return floats_to_halves(__fsub_rn(with_exponent(kExponentOfTwoTo23, word, 15u), above_zero),
                            __fsub_rn(with_exponent(kExponentOfTwoTo23, word >> 4, 15u), above_zero));
  }
};

template <int kTiles>
NARROWGATE_DEVICE void add_group(const Arguments& args, const ChannelGroup (&channels)[2], std::int64_t first_tile, int group,
                                 int lane, float (&acc)[kTiles][4]) {
  float sum[kTiles][4] = {};
  NARROWGATE_UNROLL
  for (int step = 0; step < kSteps; ++step) {
    const std::uint32_t a[4] = {channels[0].halves(step, 0), channels[1].halves(step, 0), channels[0].halves(step, 1),
                                channels[1].halves(step, 1)};
    NARROWGATE_UNROLL
    for (int tile = 0; tile < kTiles; ++tile) {
      // Tiles beyond the last token read the last one: their columns of C are not there.
      const std::int64_t row = first_tile + tile < args.fragments.rows ? first_tile + tile : args.fragments.rows - 1;
      const Fragment b = args.fragments(row, (std::int64_t{group} * kSteps + step) * 32 + lane);
      mma_16x8x16_f16(sum[tile], a, b.words);
    }
  }
  NARROWGATE_UNROLL
  for (int tile = 0; tile < kTiles; ++tile) {
    NARROWGATE_UNROLL
    for (int e = 0; e < 4; ++e) acc[tile][e] = __fmaf_rn(sum[tile][e], channels[e / 2].scale, acc[tile][e]);
  }
}

template <int kTiles>
__global__ void __launch_bounds__(kThreads) hmma(Arguments args) {
  NARROWGATE_SHARED(float, partial, [kSlices][kTiles * 4][32]);
  const int lane = static_cast<int>(threadIdx.x) % 32, slice = static_cast<int>(threadIdx.x) / 32;
  const int columns = static_cast<int>(args.c.cols), first_channel = static_cast<int>(blockIdx.x) * kChannels;
  const std::int64_t first_tile = std::int64_t{blockIdx.y} * kTiles;
  const auto load = [&](int group, ChannelGroup (&to)[2]) {
    for (int half = 0; half < 2; ++half) {
      const int channel = first_channel + lane / 4 + 8 * half;
      to[half].from(args.weights, channel < columns ? channel : columns - 1, group, lane % 4);
    }
  };

  float acc[kTiles][4] = {};
  ChannelGroup next[2];
  if (slice < args.groups) load(slice, next);
  for (int group = slice; group < args.groups; group += kSlices) {
    const ChannelGroup now[2] = {next[0], next[1]};
    load(group + kSlices < args.groups ? group + kSlices : group, next);
    add_group(args, now, first_tile, group, lane, acc);
  }
  NARROWGATE_UNROLL
  for (int i = 0; i < kTiles * 4; ++i) partial[slice][i][lane] = acc[i / 4][i % 4];
  __syncthreads();  // the sums of all slices are there
  for (int i = slice; i < kTiles * 4; i += kSlices) {
    float sum = partial[0][i][lane];
    for (int other = 1; other < kSlices; ++other) sum = __fadd_rn(sum, partial[other][i][lane]);
    const std::int64_t token = (first_tile + i / 4) * kTileTokens + lane % 4 * 2 + i % 2;
    const std::int64_t channel = first_channel + lane / 4 + i % 4 / 2 * 8;
    if (token < args.c.rows && channel < args.c.cols) args.c(token, channel) = args.epilogue(sum, token, channel);
  }
}

void run(const Arguments& args, Stream stream) {
  const auto blocks = [](std::int64_t extent, std::int64_t size) { return static_cast<unsigned>((extent + size - 1) / size); };
  launch({"decoded.hmma", {blocks(args.fragments.cols, kThreads), static_cast<unsigned>(args.fragments.rows)}, {kThreads}},
         stream, pack_activations, args);
  const auto multiply = [&](std::int64_t tiles, void (*kernel)(Arguments)) {
    launch({"decoded.hmma", {blocks(args.c.cols, kChannels), blocks(args.fragments.rows, tiles)}, {kThreads}}, stream, kernel, args);
  };
  if (args.fragments.rows <= 1) {
    multiply(1, hmma<1>);
  } else if (args.fragments.rows <= 2) {
    multiply(2, hmma<2>);
  } else if (args.fragments.rows <= 4) {
    multiply(4, hmma<4>);
  } else {
    multiply(8, hmma<8>);
  }
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(hmma) = {.folder = "decoded",
                                  .name = NARROWGATE_DEVICE_NAME("hmma"),
                                  .backend = kDeviceBackend,
                                  .contract = Contract::kBounded,
                                  .precision = Precision{.unit_roundoff_bits = 23, .roundings = roundings},
                                  .arithmetic = "FP16 tensor cores with FP32 sums; groups scaled on CUDA cores",
                                  .source = "kernels/decoded/hmma.cu",
                                  .computes = [](const Scheme& scheme) {
                                    // HQQ's zero points are fractions: its differences are no FP16 values.
                                    return scheme.id.starts_with("w4a16.g128") && scheme.id.find(".hqq.") == std::string_view::npos;
                                  },
                                  .unsupported = supports_everything,
                                  .bind = bind<place_groups, run>};

}  // namespace narrowgate::decoded
