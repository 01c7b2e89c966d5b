// decoded, cuda.warp: products with few rows of A (decoding), where reading the weights once is all the time there is.
// A warp computes four (two) output channels: each lane loads sixteen bytes of codes of each, ahead of their use,
// decodes them in registers and keeps the lane's own chain; the xor tree of the `lanes` order ends it. Activations lie in
// shared memory, FP16 where the scheme's are, in the order in which lanes read them. One block a multiprocessor walks
// over the channels, so activations are brought there once.
// No library multiplies in this order; cuBLAS has no product of FP16 by packed integers at all.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/decoded/decoded.h"
#include "kernels/decoded/warp_packing.h"
#include "kernels/decoded/warp_weights.h"
#include "kernels/simt/device_words.h"
#include "kernels/simt/load_ahead.h"

namespace narrowgate::decoded {
namespace {

struct Arguments {
  View<const float> a;
  View<float> c;
  Epilogue epilogue;
  PackedWeights weights;
  int bits;
  bool has_fractional_zero_points;
};

Arguments place_warp(const Operands& operands, View<float> c, Memory& memory) {
  return {memory.place("A", operands.a.values.view()), c, place_epilogue(operands, memory),
          place_packed_weights(operands.b, operands.accumulation, memory),
          static_cast<int>(128 / operands.accumulation.length), !operands.b.fractional_zero_points.empty()};
}

// FP16 values of a warp's channels, packed: as single halves they would cost a register each.
template <int kChannels>
struct alignas(2 * kChannels) HalfOfEach {
  std::uint32_t words[kChannels / 2];
  NARROWGATE_DEVICE float operator[](int channel) const { return half_to_float(words[channel / 2], channel % 2); }
};

// What one lane reads of a warp's channels for one chunk.
template <class Weights, int kChannels>
struct Load {
  static constexpr int kScalesAPiece = Weights::kVector < 32 ? 1 : Weights::kVector / 32;
  SixteenBytes pieces[kChannels];
  HalfOfEach<kChannels> scales[kScalesAPiece], zeros[kScalesAPiece];

  // Counts of pieces and scales stay below 2³¹ for every weight matrix below 8 G elements.
  NARROWGATE_DEVICE void from(const PackedWeights& weights, int first_channel, int chunk, int lane) {
    const int four = first_channel / kPackedChannels, within = first_channel % kPackedChannels;
    const SixteenBytes* piece = weights.pieces + ((four * weights.chunks + chunk) * kPackedChannels + within) * 32 + lane;
    NARROWGATE_UNROLL
    for (int c = 0; c < kChannels; ++c) pieces[c] = load_ahead(piece + 32 * c);
    if constexpr (Weights::kHasScales) {
      NARROWGATE_UNROLL
      for (int i = 0; i < kScalesAPiece; ++i) {
        const int group = ((chunk * 32 + lane) * Weights::kVector + i * 32) >> weights.log2_group;
        const int at = (four * weights.groups + group) * kPackedChannels + within;
        scales[i] = load_ahead(reinterpret_cast<const HalfOfEach<kChannels>*>(weights.scales + at));
        if constexpr (Weights::kHasZeroPoints) {
          zeros[i] = load_ahead(reinterpret_cast<const HalfOfEach<kChannels>*>(weights.zero_points + at));
        }
      }
    }
  }
  NARROWGATE_DEVICE typename Weights::Constants constants(const PackedWeights& weights, int unit, int channel) const {
    if constexpr (Weights::kHasScales) {
      const int i = unit * Weights::kPerUnit / 32;
      if constexpr (Weights::kHasZeroPoints) return Weights::constants(scales[i][channel], zeros[i][channel]);
      return Weights::constants(scales[i][channel], weights.common_zero_point);
    }
    return Weights::constants(1.0f, weights.common_zero_point);
  }
};

// Rows first_row… of A as lanes read them: [token][chunk][unit of a piece][lane].
template <class Weights, int kTokens, class Units>
NARROWGATE_DEVICE void stage_activations(const Arguments& args, std::int64_t first_row, Units x) {
  constexpr int kUnits = Weights::kVector / Weights::kPerUnit;
  const int units = args.weights.chunks * 32 * kUnits;
  const int depth = static_cast<int>(args.a.cols);
  for (int token = 0; token < kTokens; ++token) {
    const bool exists = first_row + token < args.a.rows;
    const float* const row = args.a.row(first_row + token);
    for (int unit = static_cast<int>(threadIdx.x); unit < units; unit += static_cast<int>(blockDim.x)) {
      const int first_k = unit * Weights::kPerUnit;
      float values[Weights::kPerUnit];
      NARROWGATE_UNROLL
      for (int i = 0; i < Weights::kPerUnit; ++i) values[i] = exists && first_k + i < depth ? row[first_k + i] : 0.0f;
      const int chunk = unit / (32 * kUnits), lane = unit / kUnits % 32, piece_unit = unit % kUnits;
      x[token * units + (chunk * kUnits + piece_unit) * 32 + lane] = Weights::write_x(values);
    }
  }
}

template <class Weights, int kChannels, int kTokens, class Units>
NARROWGATE_DEVICE void multiply(const Arguments& args, const Load<Weights, kChannels>& load, Units x, int chunk, int lane,
                                float (&acc)[kTokens][kChannels]) {
  constexpr int kUnits = Weights::kVector / Weights::kPerUnit;
  typename Weights::Constants constants[kChannels];
  NARROWGATE_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    if (unit * Weights::kPerUnit % 32 == 0) {
      NARROWGATE_UNROLL
      for (int c = 0; c < kChannels; ++c) constants[c] = load.constants(args.weights, unit, c);
    }
    float a[kTokens][Weights::kPerUnit];
    NARROWGATE_UNROLL
    for (int t = 0; t < kTokens; ++t) {
      Weights::read_x(x[((t * args.weights.chunks + chunk) * kUnits + unit) * 32 + lane], a[t]);
    }
    NARROWGATE_UNROLL
    for (int c = 0; c < kChannels; ++c) {
      float b[Weights::kPerUnit];
      Weights::decode(load.pieces[c], unit, constants[c], b);
      NARROWGATE_UNROLL
      for (int t = 0; t < kTokens; ++t) {
        NARROWGATE_UNROLL
        for (int i = 0; i < Weights::kPerUnit; ++i) acc[t][c] = __fmaf_rn(b[i], a[t][i], acc[t][c]);
      }
    }
  }
}

template <int kChannels, int kTokens>
NARROWGATE_DEVICE void finish(const Arguments& args, std::int64_t first_row, int first_channel, int lane,
                              float (&acc)[kTokens][kChannels]) {
  NARROWGATE_UNROLL
  for (int t = 0; t < kTokens; ++t) {
    NARROWGATE_UNROLL
    for (int c = 0; c < kChannels; ++c) {
      float sum = acc[t][c];
      for (int step = 16; step > 0; step /= 2) sum = __fadd_rn(sum, __shfl_xor_sync(0xffffffffu, sum, step));
      acc[t][c] = 0.0f;
      const std::int64_t row = first_row + t, col = first_channel + c;
      if (lane == 0 && row < args.c.rows && col < args.c.cols) args.c(row, col) = args.epilogue(sum, row, col);
    }
  }
}

template <class Weights, int kChannels, int kTokens, int kWarps>
__global__ void __launch_bounds__(kWarps * 32, 1) warp(Arguments args) {
  NARROWGATE_DYNAMIC_SHARED(SixteenBytes, x);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kTokens;
  // Neighbouring groups of channels go to different multiprocessors, so that few of them still keep all busy.
  const int blocks = static_cast<int>(gridDim.x), step = blocks * kWarps * kChannels;
  const int columns = static_cast<int>(args.c.cols);
  int channel = (static_cast<int>(threadIdx.x) / 32 * blocks + static_cast<int>(blockIdx.x)) * kChannels;
  Load<Weights, kChannels> next;
  if (channel < columns) next.from(args.weights, channel, 0, lane);
  stage_activations<Weights, kTokens>(args, first_row, x);
  __syncthreads();  // the activations are complete; nothing is written to shared memory any more

  float acc[kTokens][kChannels] = {};
  for (; channel < columns; channel += step) {
    for (int chunk = 0; chunk < args.weights.chunks; ++chunk) {
      const Load<Weights, kChannels> now = next;
      const bool is_last = chunk + 1 == args.weights.chunks;
      if (!is_last || channel + step < columns) {
        next.from(args.weights, is_last ? channel + step : channel, is_last ? 0 : chunk + 1, lane);
      }
      multiply<Weights>(args, now, x, chunk, lane, acc);
    }
    finish(args, first_row, channel, lane, acc);
  }
}

// `ForOne` decodes for a single token, `ForMany` for several: mostly the same.
template <class ForOne, class ForMany = ForOne>
void run_weights(const Arguments& args, Stream stream) {
  const auto launch_with = [&](unsigned channels, unsigned tokens, unsigned warps, std::size_t token_bytes, void (*kernel)(Arguments)) {
    const auto groups = [](std::int64_t extent, unsigned size) { return static_cast<unsigned>((extent + size - 1) / size); };
    const unsigned blocks = std::min(groups(args.c.cols, channels), multiprocessor_count());
    launch({"decoded.warp", {blocks, groups(args.c.rows, tokens)}, {warps * 32}, tokens * token_bytes}, stream, kernel, args);
  };
  constexpr std::int64_t kManyChannels = 16384;
  const std::size_t bytes_for_one = activation_bytes(args.weights.chunks, ForOne::kVector, ForOne::kPerUnit);
  const std::size_t bytes_for_many = activation_bytes(args.weights.chunks, ForMany::kVector, ForMany::kPerUnit);
  if (args.c.rows > 1 && 4 * bytes_for_many <= dynamic_shared_limit()) {
    launch_with(2, 4, 16, bytes_for_many, warp<ForMany, 2, 4, 16>);
  } else if (args.c.cols >= kManyChannels) {
    launch_with(4, 1, 28, bytes_for_one, warp<ForOne, 4, 1, 28>);
  } else {
    launch_with(2, 1, 28, bytes_for_one, warp<ForOne, 2, 1, 28>);
  }
}

template <ZeroPoint kZero>
void run_four_bits(const Arguments& args, Stream stream) {
  run_weights<FourBitWeightsOfOneToken<kZero>, FourBitWeights<kZero>>(args, stream);
}

void run(const Arguments& args, Stream stream) {
  const bool has_zero_points = args.weights.zero_points != nullptr;
  switch (args.bits) {
    case 32: return run_weights<FloatWeights>(args, stream);
    case 8: return run_weights<IntegerWeights<8, ZeroPoint::kCommon>>(args, stream);
    case 4:
      if (args.has_fractional_zero_points) return run_weights<IntegerWeights<4, ZeroPoint::kFractional>>(args, stream);
      return has_zero_points ? run_four_bits<ZeroPoint::kInteger>(args, stream) : run_four_bits<ZeroPoint::kCommon>(args, stream);
    case 2:
      return has_zero_points ? run_weights<IntegerWeights<2, ZeroPoint::kInteger>>(args, stream)
                             : run_weights<IntegerWeights<2, ZeroPoint::kCommon>>(args, stream);
    case 1: return run_weights<IntegerWeights<1, ZeroPoint::kCommon>>(args, stream);
    default: throw std::logic_error("cuda.warp: no decoder for codes of " + std::to_string(args.bits) + " bits");
  }
}

std::optional<std::string> unsupported(const Scheme& scheme, Shape shape) {
  const std::int64_t vector = scheme.accumulation.length;
  const std::int64_t chunks = (shape.k + 32 * vector - 1) / (32 * vector);
  constexpr std::int64_t kUnitValues = 4;  // FP32
  if (activation_bytes(chunks, vector, kUnitValues) <= dynamic_shared_limit()) return std::nullopt;
  return "a row of A does not fit into shared memory";
}

}  // namespace

NARROWGATE_DEVICE_KERNEL(warp) = {.folder = "decoded",
                                  .name = NARROWGATE_DEVICE_NAME("warp"),
                                  .backend = kDeviceBackend,
                                  .contract = Contract::kExact,
                                  .arithmetic = "codes decoded in registers, FP32 fused multiply-adds on CUDA cores",
                                  .source = "kernels/decoded/warp.cu",
                                  .computes = [](const Scheme& scheme) {
                                    return scheme.accumulation.order == Accumulation::Order::kLanes &&
                                           scheme.storage == Storage::kDense;
                                  },
                                  .unsupported = unsupported,
                                  .bind = bind<place_warp, run>};

}  // namespace narrowgate::decoded
