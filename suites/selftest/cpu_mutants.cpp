// Scalar loops with one wrong step each.
#include "kernels/formats/fp16_rounding.h"
#include "kernels/sparse24/sparse24.h"
#include "suites/selftest/cpu_loops.h"
#include "suites/selftest/kernel_mutants.h"

namespace narrowgate::selftest {

FloatArguments place_floats(const Operands& operands, View<float> c, Memory& memory) {
  return {decoded::place_codes("A", operands.a, BlockAxis::cols, operands.accumulation, memory),
          decoded::place_codes("B", operands.b, BlockAxis::rows, operands.accumulation, memory),
          c,
          operands.accumulation,
          decoded::place_block_scales(operands, memory),
          place_epilogue(operands, memory)};
}

float decoded_as_at(const decoded::Codes& b, std::int64_t k, std::int64_t col, std::int64_t k_of_scale) {
  if (b.values.data != nullptr || b.scales == nullptr) return b(k, col);
  const float value = b.table[static_cast<std::uint8_t>(b.codes(k, col))];
  const std::int64_t at = b.block(k_of_scale, col);
  return (b.zero_points == nullptr ? value : value - b.zero_points[at]) * b.scales[at];
}

bool computes_dense_floats(const Scheme& scheme) {
  return decoded::computes_floats(scheme) && scheme.storage == Storage::kDense;
}
bool computes_dense_integers(const Scheme& scheme) {
  return int8::computes_integers(scheme) && scheme.storage == Storage::kDense;
}

namespace {

// Which k.
struct SkipsFirst : Right {
  static std::int64_t first() { return 1; }
};
struct DropsTail : Right {
  static std::int64_t last(std::int64_t depth) { return depth / 16 * 16; }
};
struct DropsLast : Right {
  static std::int64_t last(std::int64_t depth) { return depth - 1; }
};
struct GroupOfNextK : Right {
  static std::int64_t scale_k(std::int64_t k, std::int64_t, std::int64_t depth) { return std::min(k + 1, depth - 1); }
};
struct GroupOffByOne : Right {
  static std::int64_t scale_k(std::int64_t k, std::int64_t length, std::int64_t depth) { return std::min(k + length, depth - 1); }
};

// In which order, and how each step is rounded.
struct Descends : Right {
  static std::int64_t k_at(std::int64_t step, std::int64_t depth) { return depth - 1 - step; }
};
// One chain through the even k and then the odd ones.
struct EvensFirst : Right {
  static std::int64_t k_at(std::int64_t step, std::int64_t depth) {
    const std::int64_t evens = (depth + 1) / 2;
    return step < evens ? 2 * step : 2 * (step - evens) + 1;
  }
};
struct TreeUpwards : Right {
  static float tree(std::array<float, kLaneCount>& partial) {
    for (std::size_t step = 1; step < kLaneCount; step *= 2) {
      for (std::size_t lane = 0; lane + step < kLaneCount; lane += 2 * step) partial[lane] += partial[lane + step];
    }
    return partial[0];
  }
};
struct ForgetsALane : Right {
  static float tree(std::array<float, kLaneCount>& partial) {
    partial[3] = 0.0f;
    return Right::tree(partial);
  }
};
struct RoundsProducts : Right {
  using Right::add;
  static float add(float acc, float b, float a) {
    const float product = b * a;
    return acc + product;
  }
};
struct SumsInFp16 : Right {
  using Right::add;
  static float add(float acc, float b, float a) { return formats::rounded_to_fp16(std::fma(b, a, acc)); }
};
struct FlushesSubnormals : Right {
  using Right::add;
  static float flushed(float x) { return std::fabs(x) < 0x1p-126f ? 0.0f : x; }
  static float add(float acc, float b, float a) { return flushed(std::fma(flushed(b), flushed(a), acc)); }
};
struct SumsInInt16 : Right {
  using Right::add;
  static std::int32_t add(std::int32_t acc, std::int32_t b, std::int32_t a) { return static_cast<std::int16_t>(acc + a * b); }
};
struct SaturatesAtInt16 : Right {
  using Right::add;
  static std::int32_t add(std::int32_t acc, std::int32_t b, std::int32_t a) { return std::clamp(acc + a * b, -32768, 32767); }
};
struct ReadsUnsigned : Right {
  static std::int32_t code(std::int8_t stored) { return static_cast<std::uint8_t>(stored); }
};

// The epilogue.
struct CorrectsByNextColumn : Right {
  static std::int32_t corrected(const int8::Arguments& args, std::int32_t acc, std::int64_t row, std::int64_t col) {
    return acc - args.correction(row, (col + 1) % args.c.cols);
  }
};
struct ScaleOfRowForColumn : Right {
  static float finish(const Epilogue& epilogue, float sum, std::int64_t row, std::int64_t) { return epilogue(sum, row, row); }
};
struct ScalesInTwoSteps : Right {
  static float finish(const Epilogue& epilogue, float sum, std::int64_t row, std::int64_t col) {
    const float once = sum * epilogue.a_scales[row * epilogue.a_stride];
    return once * epilogue.b_scales[col * epilogue.b_stride];
  }
};
struct AddsBiasBeforeScale : Right {
  static float finish(const Epilogue& epilogue, float sum, std::int64_t row, std::int64_t col) {
    return (sum + epilogue.bias[col]) * epilogue.scale(row, col);
  }
};
struct FusesScaleAndBias : Right {
  static float finish(const Epilogue& epilogue, float sum, std::int64_t row, std::int64_t col) {
    return std::fma(sum, epilogue.scale(row, col), epilogue.bias[col]);
  }
};

// Memory.
struct LeavesTailRows : Right {
  static std::int64_t rows(std::int64_t m) { return m / 16 * 16; }
};
struct WritesNothing : Right {
  static std::int64_t rows(std::int64_t) { return 0; }
};
struct WritesOneColumnMore : Right {
  static void write(View<float> c, std::int64_t row, std::int64_t col, float value) {
    c(row, col) = value;
    if (col + 1 == c.cols) c.row(row)[c.cols] = value;
  }
};
struct AddsToOutput : Right {
  static void write(View<float> c, std::int64_t row, std::int64_t col, float value) { c(row, col) += value; }
};
struct IgnoresLeadingDimension : Right {
  template <class T>
  static void read_through(View<const T>& a) { a.ld = a.cols; }
};

// Float(acc)·s − float(z·colsum)·s: the same numbers, rounded before they cancel.
void run_scaled_before_correction(const int8::Arguments& args, Stream) {
  for (std::int64_t row = 0; row < args.c.rows; ++row) {
    for (std::int64_t col = 0; col < args.c.cols; ++col) {
      std::int32_t acc = 0;
      for (std::int64_t k = 0; k < args.a.cols; ++k) acc += args.a(row, k) * args.b(k, col);
      const float scale = args.epilogue.scale(row, col);
      const float product = static_cast<float>(acc) * scale, correction = static_cast<float>(args.correction(row, col)) * scale;
      args.c(row, col) = product - correction;
    }
  }
}
constexpr Kernel kScalesBeforeCorrection = cpu_loop(computes_dense_integers, bind<int8::place, run_scaled_before_correction>);

// w4a16 with the scale taken out of the sum over its group: fma(Σ q·x, s, acc) instead of Σ (q·s)·x.
void run_scaled_after_group(const FloatArguments& args, Stream) {
  for (std::int64_t row = 0; row < args.c.rows; ++row) {
    for (std::int64_t col = 0; col < args.c.cols; ++col) {
      float acc = 0.0f;
      for (std::int64_t start = 0; start < args.a.cols(); start += args.b.block_rows) {
        const std::int64_t at = args.b.block(start, col);
        const float zero_point = args.b.zero_points == nullptr ? 0.0f : args.b.zero_points[at];
        float t = 0.0f;
        for (std::int64_t k = start; k < std::min(start + args.b.block_rows, args.a.cols()); ++k) {
          t = std::fma(args.b.table[static_cast<std::uint8_t>(args.b.codes(k, col))] - zero_point, args.a(row, k), t);
        }
        acc = std::fma(t, args.b.scales[at], acc);
      }
      args.c(row, col) = args.epilogue(acc, row, col);
    }
  }
}
constexpr Kernel kScalesAfterGroup = cpu_loop(computes_dense_floats, bind<place_floats, run_scaled_after_group>);

// Two accumulators, of even and of odd k, added at the end: what unrolling by two does.
void run_two_chains(const FloatArguments& args, Stream) {
  for (std::int64_t row = 0; row < args.c.rows; ++row) {
    for (std::int64_t col = 0; col < args.c.cols; ++col) {
      std::array<float, 2> sums{};
      for (std::int64_t k = 0; k < args.a.cols(); ++k) {
        float& sum = sums[static_cast<std::size_t>(k % 2)];
        sum = Right::add(sum, args.b(k, col), args.a(row, k));
      }
      args.c(row, col) = args.epilogue(sums[0] + sums[1], row, col);
    }
  }
}
constexpr Kernel kTwoChains = cpu_loop(computes_dense_floats, bind<place_floats, run_two_chains>);

// 2:4 compressed B; place(args, kept, col) says where in its four a kept value was.
template <class Operands24, class Sum, class Place, class Finish>
void run_sparse(const Operands24& operands, View<float> c, const Place& place, const Finish& finish) {
  for (std::int64_t row = 0; row < c.rows; ++row) {
    for (std::int64_t col = 0; col < c.cols; ++col) {
      Sum acc{};
      for (std::int64_t kept = 0; kept < operands.values.rows; ++kept) {
        const std::int64_t k = kept / 2 * 4 + place(operands, kept, col);
        if (k < operands.a.cols) acc = Right::add(acc, operands.values(kept, col), operands.a(row, k));
      }
      c(row, col) = finish(acc, row, col);
    }
  }
}

struct OwnPlace {
  std::int64_t operator()(const auto& operands, std::int64_t kept, std::int64_t col) const { return operands.places(kept, col); }
};
struct PlaceOfThePair {
  std::int64_t operator()(const auto& operands, std::int64_t kept, std::int64_t col) const { return operands.places(kept ^ 1, col); }
};
struct FirstTwoPlaces {
  std::int64_t operator()(const auto&, std::int64_t kept, std::int64_t) const { return kept % 2; }
};

template <class Place>
Launch bind_sparse(const Operands& operands, View<float> c, Memory& memory) {
  if (operands.b.is_float()) {
    return [args = sparse24::place_floats(operands, c, memory)] {
      run_sparse<sparse24::Compressed<float>, float>(args.operands, args.c, Place{}, args.epilogue);
    };
  }
  return [args = sparse24::place_integers(operands, c, memory)] {
    run_sparse<sparse24::Compressed<std::int8_t>, std::int32_t>(
        args.operands, args.dense.c, Place{},
        [&](std::int32_t acc, std::int64_t row, std::int64_t col) { return args.dense.finish(acc, row, col); });
  };
}
template <class Place>
constexpr Kernel sparse_kernel = cpu_loop(sparse24::computes_compressed, bind_sparse<Place>);

template <class Bug>
std::vector<const Kernel*> all_loops() {
  return {&float_kernel<Bug>, &integer_kernel<Bug>, &group_kernel<Bug>};
}

constexpr auto kKernel = MutantKind::kernel;
using Schemes = std::vector<std::string_view>;
const Schemes kEveryLoop = {"fp32.chain", "fp32.lanes", "int8.column", "w4a16.g128.rtn.lanes", "w4a8.g128",
                            "fp8.e4m3.block128.blocks", "mx.nvfp4.chain"};

// Sums that round: products of MXFP4 or NVFP4 add up exactly at this depth.
const Schemes kRoundingChains = {"fp32.chain", "w4a16.g128.rtn.chain", "w8a16.row.chain", "fp8.e4m3.token.chain"};

std::vector<Mutant> depth_mutants() {
  return {
      {.name = "first_k_skipped", .kind = kKernel, .what = "the sum begins at k = 1", .schemes = kEveryLoop,
       .kernels = all_loops<SkipsFirst>()},
      {.name = "k_tail_dropped", .kind = kKernel, .what = "the k beyond the last whole 16 are left out", .schemes = kEveryLoop,
       .kernels = all_loops<DropsTail>()},
      {.name = "last_k_dropped", .kind = kKernel, .what = "the sum ends one k early", .schemes = kEveryLoop,
       .kernels = all_loops<DropsLast>()},
      {.name = "group_of_next_k", .kind = kKernel, .what = "a weight decodes with the group of k + 1",
       .schemes = {"w4a16.g128.rtn.chain", "w4a16.g32_zp.rtn.lanes", "w2a16.g64.rtn.chain", "mx.mxfp8_e4m3.rceil.chain"},
       .kernels = all_loops<GroupOfNextK>()},
      {.name = "group_index_off_by_one", .kind = kKernel, .what = "a weight decodes with the group after its own",
       .schemes = {"w4a16.g128.rtn.chain", "w4a8.g128", "fp8.e4m3.g32.blocks", "mx.mxfp4.rceil.chain"},
       .kernels = all_loops<GroupOffByOne>()},
      {.name = "sparse_places_swapped", .kind = kKernel, .what = "the places of the two kept values are exchanged",
       .schemes = {"sparse24.compressed.fp32.chain", "sparse24.compressed.int8_column"}, .kernels = {&sparse_kernel<PlaceOfThePair>}},
      {.name = "sparse_places_ignored", .kind = kKernel, .what = "the two kept values are taken for the first two of four",
       .schemes = {"sparse24.compressed.fp32.chain", "sparse24.compressed.int8_column"}, .kernels = {&sparse_kernel<FirstTwoPlaces>}},
  };
}

std::vector<Mutant> sum_mutants() {
  const Schemes lanes = {"fp32.lanes", "w8a16.row.lanes", "w4a16.g128.rtn.lanes", "w2a16.g128.rtn.lanes"};
  return {
      {.name = "chain_descends", .kind = kKernel, .what = "the sum runs from the last k to the first", .schemes = kRoundingChains,
       .kernels = {&float_kernel<Descends>}},
      {.name = "even_k_first", .kind = kKernel, .what = "even k are summed before odd ones", .schemes = kRoundingChains,
       .kernels = {&float_kernel<EvensFirst>}},
      {.name = "two_chains", .kind = kKernel, .what = "even and odd k have a sum each, added at the end", .schemes = kRoundingChains,
       .kernels = {&kTwoChains}},
      {.name = "product_rounded", .kind = kKernel, .what = "a product is rounded before it is added", .schemes = {"fp32.chain", "fp32.lanes", "sparse24.prune.fp32.chain"},
       .kernels = {&float_kernel<RoundsProducts>}},
      {.name = "tree_upwards", .kind = kKernel, .what = "lanes are joined by steps of 1, 2, 4, 8, 16", .schemes = lanes,
       .kernels = {&float_kernel<TreeUpwards>}},
      {.name = "lane_forgotten", .kind = kKernel, .what = "one lane does not take part in the tree",
       .schemes = {"fp32.lanes", "w8a16.row.lanes", "w4a16.g128.rtn.lanes", "w2a16.g128.rtn.lanes"}, .kernels = {&float_kernel<ForgetsALane>}},
      {.name = "fp16_accumulator", .kind = kKernel, .what = "sums are kept in FP16",
       .schemes = {"fp32.chain", "w4a16.g128.rtn.lanes", "fp8.e4m3.block128.blocks", "mx.mxfp8_e4m3.rceil.chain"}, .kernels = {&float_kernel<SumsInFp16>}},
      {.name = "subnormals_flushed", .kind = kKernel, .what = "FP32 subnormals are taken for zero",
       .schemes = {"fp32.chain", "fp32.lanes", "sparse24.prune.fp32.chain"}, .distributions = {Distribution::kSubnormal},
       .kernels = {&float_kernel<FlushesSubnormals>}},
      {.name = "int16_accumulator", .kind = kKernel, .what = "sums are kept in 16 bits and wrap around",
       .schemes = {"int8.tensor", "int8.column", "int8.token_zp", "w4a8.g128"}, .distributions = {Distribution::kDay98, Distribution::kMaxPairs},
       .kernels = all_loops<SumsInInt16>()},
      {.name = "int16_saturates", .kind = kKernel, .what = "sums are kept in 16 bits and saturate",
       .schemes = {"int8.tensor", "int8.column", "int8.token_zp", "w4a8.g128"}, .distributions = {Distribution::kDay98, Distribution::kMaxPairs},
       .kernels = all_loops<SaturatesAtInt16>()},
      {.name = "codes_unsigned", .kind = kKernel, .what = "the signed codes of A are read as 0…255",
       .schemes = {"int8.column", "int8.token_zp", "ternary.bitnet", "w4a8.g128"}, .distributions = {Distribution::kNormal, Distribution::kTies},
       .kernels = {&integer_kernel<ReadsUnsigned>, &group_kernel<ReadsUnsigned>}},
      {.name = "scale_after_group", .kind = kKernel, .what = "a group's scale multiplies its sum instead of each weight",
       .schemes = {"w4a16.g128.rtn.chain", "w4a16.g32_zp.rtn.chain", "w2a16.g64.rtn.chain"}, .kernels = {&kScalesAfterGroup}},
  };
}

std::vector<Mutant> epilogue_mutants() {
  return {
      {.name = "correction_of_next_column", .kind = kKernel, .what = "a column is corrected by the column sum of the next one",
       .schemes = {"int8.column_zp", "int8.token_zp"}, .kernels = {&integer_kernel<CorrectsByNextColumn>}},
      {.name = "scale_before_correction", .kind = kKernel, .what = "sum and correction are scaled before they are subtracted",
       .schemes = {"int8.column_zp", "int8.token_zp"}, .kernels = {&kScalesBeforeCorrection}},
      {.name = "scale_of_row_for_column", .kind = kKernel, .what = "column scales are looked up by the row",
       .schemes = {"int8.column", "int8.token", "w8a16.row.chain", "fp8.e4m3.column.chain"},
       .kernels = {&float_kernel<ScaleOfRowForColumn>, &integer_kernel<ScaleOfRowForColumn>}},
      {.name = "scaled_in_two_steps", .kind = kKernel, .what = "the sum is multiplied by one scale after the other",
       .schemes = {"int8.tensor", "int8.column", "int8.token", "fp8.e4m3.token.chain"},
       .kernels = {&float_kernel<ScalesInTwoSteps>, &integer_kernel<ScalesInTwoSteps>}},
      {.name = "bias_before_scale", .kind = kKernel, .what = "the bias is added before the scale is applied",
       .schemes = {"int8.column.bias"}, .kernels = {&integer_kernel<AddsBiasBeforeScale>}},
      {.name = "scale_and_bias_fused", .kind = kKernel, .what = "scale and bias are one fused multiply-add",
       .schemes = {"int8.column.bias"}, .kernels = {&integer_kernel<FusesScaleAndBias>}},
  };
}

std::vector<Mutant> memory_mutants() {
  return {
      {.name = "tail_rows_unwritten", .kind = kKernel, .what = "the rows beyond the last whole 16 are not written", .schemes = kEveryLoop,
       .kernels = all_loops<LeavesTailRows>()},
      {.name = "one_column_too_many", .kind = kKernel, .what = "each row is written one column beyond its end", .schemes = kEveryLoop,
       .kernels = all_loops<WritesOneColumnMore>()},
      {.name = "output_not_cleared", .kind = kKernel, .what = "the product is added to what the output held", .schemes = kEveryLoop,
       .kernels = all_loops<AddsToOutput>()},
      {.name = "leading_dimension_ignored", .kind = kKernel, .what = "A is read as if its rows stood without padding", .schemes = kEveryLoop,
       .kernels = all_loops<IgnoresLeadingDimension>()},
      {.name = "update_lost_at_times", .kind = kKernel, .what = "a run now and then loses the last k, as a race of atomics does",
       .schemes = {"fp32.chain", "int8.column", "w4a16.g128.rtn.lanes", "fp8.e4m3.token.chain"},
       .kernels = {&changing_float_kernel<Right, DropsLast>, &changing_integer_kernel<Right, DropsLast>}},
      {.name = "order_changes", .kind = kKernel, .what = "a second run sums in another order, as split-K with atomics does",
       .schemes = kRoundingChains, .kernels = {&changing_float_kernel<Right, Descends>}},
      {.name = "stale_output", .kind = kKernel, .what = "a second run writes nothing, and the first one's output is read again",
       .schemes = {"fp32.chain", "int8.column", "w4a16.g128.rtn.lanes", "fp8.e4m3.token.chain"},
       .kernels = {&changing_float_kernel<Right, WritesNothing>, &changing_integer_kernel<Right, WritesNothing>}},
  };
}

}  // namespace

std::vector<const Kernel*> right_cpu_loops() {
  std::vector<const Kernel*> kernels = all_loops<Right>();
  kernels.push_back(&sparse_kernel<OwnPlace>);
  return kernels;
}

std::vector<Mutant> cpu_mutants() {
  std::vector<Mutant> mutants = depth_mutants();
  for (auto* list : {sum_mutants, epilogue_mutants, memory_mutants}) {
    for (Mutant& mutant : list()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace narrowgate::selftest
