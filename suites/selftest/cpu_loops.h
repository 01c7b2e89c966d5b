// The scalar kernels once more, with a seam at every step, so that a mutant is the right loop with one step replaced:
//
//   struct SkipsFirst : Right { static std::int64_t first() { return 1; } };
//
// float_kernel<Right>, integer_kernel<Right> and group_kernel<Right> give the schemes' answers, to the bit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "kernels/decoded/codes.h"
#include "kernels/decoded/decoded.h"
#include "kernels/group_int8/group_int8.h"
#include "kernels/int8/int8.h"

namespace narrowgate::selftest {

struct FloatArguments {
  decoded::Codes a, b;
  View<float> c;
  Accumulation accumulation;
  decoded::BlockScales scales;
  Epilogue epilogue;
};

FloatArguments place_floats(const Operands& operands, View<float> c, Memory& memory);

// The element's value by the scale and zero point of another k of its column.
float decoded_as_at(const decoded::Codes& b, std::int64_t k, std::int64_t col, std::int64_t k_of_scale);

struct Right {
  // Which k are summed, in which order; `step` counts from first() to last().
  static std::int64_t first() { return 0; }
  static std::int64_t last(std::int64_t depth) { return depth; }
  static std::int64_t k_at(std::int64_t step, std::int64_t) { return step; }
  static std::int64_t scale_k(std::int64_t k, std::int64_t /*length of a block*/, std::int64_t /*depth*/) { return k; }
  // One step of a sum, and how lanes are joined.
  static float add(float acc, float b, float a) { return std::fma(b, a, acc); }
  static std::int32_t add(std::int32_t acc, std::int32_t b, std::int32_t a) { return acc + a * b; }
  static std::int32_t code(std::int8_t stored) { return stored; }
  static float tree(std::array<float, kLaneCount>& partial) {
    for (std::size_t step = kLaneCount / 2; step > 0; step /= 2) {
      for (std::size_t lane = 0; lane < step; ++lane) partial[lane] += partial[lane + step];
    }
    return partial[0];
  }
  // The end of a sum.
  static std::int32_t corrected(const int8::Arguments& args, std::int32_t acc, std::int64_t row, std::int64_t col) {
    return acc - args.correction(row, col);
  }
  static float finish(const Epilogue& epilogue, float sum, std::int64_t row, std::int64_t col) { return epilogue(sum, row, col); }
  // Memory.
  static std::int64_t rows(std::int64_t m) { return m; }
  static void write(View<float> c, std::int64_t row, std::int64_t col, float value) { c(row, col) = value; }
  template <class T>
  static void read_through(View<const T>&) {}
};

template <class Bug>
float chain(const FloatArguments& args, std::int64_t row, std::int64_t col, std::int64_t first, std::int64_t last, float acc) {
  const std::int64_t depth = args.a.cols();
  for (std::int64_t step = first; step < last; ++step) {
    const std::int64_t k = Bug::k_at(step, depth);
    const float b = decoded_as_at(args.b, k, col, Bug::scale_k(k, args.b.block_rows, depth));
    acc = Bug::add(acc, b, args.a(row, k));
  }
  return acc;
}

template <class Bug>
float lanes(const FloatArguments& args, std::int64_t row, std::int64_t col) {
  std::array<float, kLaneCount> partial{};
  const std::int64_t length = args.accumulation.length, last = Bug::last(args.a.cols());
  for (std::int64_t step = Bug::first(); step < last; ++step) {
    float& lane = partial[static_cast<std::size_t>(Bug::k_at(step, args.a.cols()) / length % kLaneCount)];
    lane = chain<Bug>(args, row, col, step, step + 1, lane);
  }
  return Bug::tree(partial);
}

template <class Bug>
float blocks(const FloatArguments& args, std::int64_t row, std::int64_t col) {
  const std::int64_t length = args.accumulation.length, depth = args.a.cols();
  float acc = 0.0f;
  for (std::int64_t start = 0; start < depth; start += length) {
    const std::int64_t first = std::max(start, Bug::first()), last = std::min(start + length, Bug::last(depth));
    const float t = chain<Bug>(args, row, col, first, last, 0.0f);
    const std::int64_t of_b = Bug::scale_k(start, length, depth) / length;
    acc = std::fma(t, args.scales.a(row, start / length) * args.scales.b(of_b, col), acc);
  }
  return acc;
}

template <class Bug>
float float_sum(const FloatArguments& args, std::int64_t row, std::int64_t col) {
  switch (args.accumulation.order) {
    case Accumulation::Order::kLanes: return lanes<Bug>(args, row, col);
    case Accumulation::Order::kBlocks: return blocks<Bug>(args, row, col);
    default: return chain<Bug>(args, row, col, Bug::first(), Bug::last(args.a.cols()), 0.0f);
  }
}

template <class Bug>
void run_floats(FloatArguments args, Stream) {
  Bug::read_through(args.a.values);
  Bug::read_through(args.a.codes);
  for (std::int64_t row = 0; row < Bug::rows(args.c.rows); ++row) {
    for (std::int64_t col = 0; col < args.c.cols; ++col) {
      Bug::write(args.c, row, col, Bug::finish(args.epilogue, float_sum<Bug>(args, row, col), row, col));
    }
  }
}

template <class Bug>
void run_integers(int8::Arguments args, Stream) {
  Bug::read_through(args.a);
  for (std::int64_t row = 0; row < Bug::rows(args.c.rows); ++row) {
    for (std::int64_t col = 0; col < args.c.cols; ++col) {
      std::int32_t acc = 0;
      for (std::int64_t step = Bug::first(); step < Bug::last(args.a.cols); ++step) {
        const std::int64_t k = Bug::k_at(step, args.a.cols);
        acc = Bug::add(acc, args.b(k, col), Bug::code(args.a(row, k)));
      }
      const auto sum = static_cast<float>(Bug::corrected(args, acc, row, col));
      Bug::write(args.c, row, col, Bug::finish(args.epilogue, sum, row, col));
    }
  }
}

template <class Bug>
void run_groups(group_int8::Arguments args, Stream) {
  Bug::read_through(args.a);
  const std::int64_t depth = args.a.cols;
  for (std::int64_t row = 0; row < Bug::rows(args.c.rows); ++row) {
    for (std::int64_t col = 0; col < args.c.cols; ++col) {
      float acc = 0.0f;
      for (std::int64_t start = 0; start < depth; start += args.group) {
        std::int32_t t = 0;
        const std::int64_t last = std::min(start + args.group, Bug::last(depth));
        for (std::int64_t k = std::max(start, Bug::first()); k < last; ++k) t = Bug::add(t, args.b(k, col), Bug::code(args.a(row, k)));
        const std::int64_t of_b = Bug::scale_k(start, args.group, depth) / args.group;
        acc = std::fma(static_cast<float>(t), args.a_scales[row] * args.b_scales(of_b, col), acc);
      }
      Bug::write(args.c, row, col, Bug::finish(args.epilogue, acc, row, col));
    }
  }
}

bool computes_dense_floats(const Scheme& scheme);
bool computes_dense_integers(const Scheme& scheme);

constexpr Kernel cpu_loop(bool (*computes)(const Scheme&), Launch (*bind)(const Operands&, View<float>, Memory&)) {
  return {.folder = "selftest",
          .name = "cpu.mutant",
          .backend = Backend::kCpu,
          .contract = Contract::kExact,
          .arithmetic = "the scalar loop with one step replaced",
          .source = "suites/selftest/cpu_loops.h",
          .computes = computes,
          .unsupported = supports_everything,
          .bind = bind};
}

template <class Bug>
inline constexpr Kernel float_kernel = cpu_loop(computes_dense_floats, bind<place_floats, run_floats<Bug>>);
template <class Bug>
inline constexpr Kernel integer_kernel = cpu_loop(computes_dense_integers, bind<int8::place, run_integers<Bug>>);
template <class Bug>
inline constexpr Kernel group_kernel = cpu_loop(group_int8::computes_groups, bind<group_int8::place, run_groups<Bug>>);

// Another bug from the second run on.
template <auto Place, auto First, auto Later>
Launch bind_changing(const Operands& operands, View<float> c, Memory& memory) {
  return [args = Place(operands, c, memory), runs = std::make_shared<int>(0)] { ((*runs)++ == 0 ? First : Later)(args, nullptr); };
}
template <class First, class Later>
inline constexpr Kernel changing_float_kernel =
    cpu_loop(computes_dense_floats, bind_changing<place_floats, run_floats<First>, run_floats<Later>>);
template <class First, class Later>
inline constexpr Kernel changing_integer_kernel =
    cpu_loop(computes_dense_integers, bind_changing<int8::place, run_integers<First>, run_integers<Later>>);

}  // namespace narrowgate::selftest
