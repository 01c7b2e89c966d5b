// A blocked matrix product that keeps the order of each accumulation: every element of C is one chain over
// ascending k, starting at +0. Vectors run over n and never over k; blocks carry their sums, so cutting k into
// blocks changes no bit. One driver serves FP32, FP64 and integers; included once per Highway target.
//
// Layout of packed B: [block of k][panel of columns][word of k][column in panel], zero-padded at both tails.
// A word is one element, or for 16-bit integers a pair along k (one multiply-add instruction eats a pair).
#if defined(NARROWGATE_ORDERED_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NARROWGATE_ORDERED_PRODUCT_INL_H_
#undef NARROWGATE_ORDERED_PRODUCT_INL_H_
#else
#define NARROWGATE_ORDERED_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/matrix.h"
#include "kernels/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t kMicroRows = 6;       // rows of C held in registers
inline constexpr std::int64_t kMicroVectors = 2;    // vectors of columns held in registers
inline constexpr std::int64_t kBlockRows = 24;      // rows of C that one task computes
inline constexpr std::int64_t kBlockWords = 256;    // words of k packed at a time: a panel of B stays in L1

// One fused multiply-add per lane, rounded once. Highway's emulated targets round twice, so they go through libm.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fused_multiply_add(D d, V a, V b, V sum) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  using T = hn::TFromD<D>;
  HWY_ALIGN T x[hn::MaxLanes(d)], y[hn::MaxLanes(d)], z[hn::MaxLanes(d)];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(sum, d, z);
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) z[lane] = std::fma(x[lane], y[lane], z[lane]);
  return hn::Load(d, z);
#else
  (void)d;
  return hn::MulAdd(a, b, sum);
#endif
}

// acc = fma(a, b, acc), in FP32 or FP64.
template <class Float>
struct FloatChain {
  using Word = Float;
  using Sum = Float;
  static constexpr std::int64_t kDepth = 1;  // elements of k in a word

  template <class T>
  static Word word(const T& first, const T&) { return static_cast<Word>(first); }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V accumulate(D d, V a, V b, V sum) { return fused_multiply_add(d, a, b, sum); }
};

// acc = acc + a₀·b₀ + a₁·b₁ on pairs of int16 inside int32 words: exact while the sum fits int32.
struct IntegerPairs {
  using Word = std::int32_t;
  using Sum = std::int32_t;
  static constexpr std::int64_t kDepth = 2;

  static Word word(std::int32_t first, std::int32_t second) {
    return static_cast<Word>((static_cast<std::uint32_t>(second) << 16) | (static_cast<std::uint32_t>(first) & 0xffffu));
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V accumulate(D d, V a, V b, V sum) {
#if HWY_TARGET == HWY_AVX2
    (void)d;
    return hn::Add(sum, V{_mm256_madd_epi16(a.raw, b.raw)});
#elif HWY_TARGET == HWY_AVX3
    (void)d;
    return hn::Add(sum, V{_mm512_madd_epi16(a.raw, b.raw)});
#else
    (void)d;
    const auto low = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
    const auto high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
    return hn::Add(sum, hn::Add(low, high));
#endif
  }
};

template <class Arithmetic>
std::int64_t panel_columns() {
  return kMicroVectors * static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<typename Arithmetic::Word>()));
}

inline std::int64_t divide_up(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

// Packs all of B[k×n]; done once per weight matrix.
template <class Arithmetic, class T>
AlignedVector<typename Arithmetic::Word> pack_b(View<const T> b) {
  using Word = typename Arithmetic::Word;
  constexpr std::int64_t depth = Arithmetic::kDepth;
  const std::int64_t width = panel_columns<Arithmetic>();
  const std::int64_t panels = divide_up(b.cols, width);
  const std::int64_t words = divide_up(b.rows, depth);
  AlignedVector<Word> packed(static_cast<std::size_t>(words * panels * width));
  parallel_for(divide_up(words, kBlockWords), [&](std::int64_t block) {
    const std::int64_t first = block * kBlockWords;
    const std::int64_t count = std::min(kBlockWords, words - first);
    Word* base = packed.data() + first * panels * width;
    for (std::int64_t w = 0; w < count; ++w) {
      const std::int64_t k = (first + w) * depth;
      const T* row = b.row(k);
      const T* next = k + 1 < b.rows ? b.row(k + 1) : nullptr;
      for (std::int64_t col = 0; col < b.cols; ++col) {
        Word* panel = base + (col / width) * count * width;
        panel[w * width + col % width] =
            Arithmetic::word(row[col], depth == 2 && next != nullptr ? next[col] : T{0});
      }
    }
  });
  return packed;
}

// Packs rows [first_row, first_row + kBlockRows) and words [first, first + count) of A as [micro][word][row].
template <class Arithmetic, class T>
void pack_a(View<const T> a, std::int64_t first_row, std::int64_t first, std::int64_t count,
            typename Arithmetic::Word* out) {
  constexpr std::int64_t depth = Arithmetic::kDepth;
  for (std::int64_t row = 0; row < kBlockRows; ++row) {
    auto* lane = out + (row / kMicroRows) * count * kMicroRows + row % kMicroRows;
    if (first_row + row >= a.rows) {
      for (std::int64_t w = 0; w < count; ++w) lane[w * kMicroRows] = 0;
      continue;
    }
    const T* in = a.row(first_row + row);
    for (std::int64_t w = 0; w < count; ++w) {
      const std::int64_t k = (first + w) * depth;
      lane[w * kMicroRows] = Arithmetic::word(in[k], depth == 2 && k + 1 < a.cols ? in[k + 1] : T{0});
    }
  }
}

// sums[6 × panel] advanced by `count` words of k. The sums stay in registers for the whole block.
template <class Arithmetic>
HWY_NOINLINE void micro_kernel(const typename Arithmetic::Word* a, const typename Arithmetic::Word* b,
                               std::int64_t count, typename Arithmetic::Sum* sums, std::int64_t ld) {
  const hn::ScalableTag<typename Arithmetic::Word> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  using V = hn::Vec<decltype(d)>;
  V left[kMicroRows], right[kMicroRows];
  for (std::int64_t row = 0; row < kMicroRows; ++row) {
    left[row] = hn::LoadU(d, sums + row * ld);
    right[row] = hn::LoadU(d, sums + row * ld + lanes);
  }
  for (std::int64_t w = 0; w < count; ++w) {
    const V b_left = hn::Load(d, b + w * 2 * lanes);
    const V b_right = hn::Load(d, b + w * 2 * lanes + lanes);
    for (std::int64_t row = 0; row < kMicroRows; ++row) {
      const V a_row = hn::Set(d, a[w * kMicroRows + row]);
      left[row] = Arithmetic::accumulate(d, a_row, b_left, left[row]);
      right[row] = Arithmetic::accumulate(d, a_row, b_right, right[row]);
    }
  }
  for (std::int64_t row = 0; row < kMicroRows; ++row) {
    hn::StoreU(left[row], d, sums + row * ld);
    hn::StoreU(right[row], d, sums + row * ld + lanes);
  }
}

// One task: kBlockRows rows of C, all columns, all of k; then finish(row, sums of that row).
template <class Arithmetic, class T, class Finish>
HWY_NOINLINE void row_block(View<const T> a, std::int64_t first_row, const typename Arithmetic::Word* packed_b,
                            std::int64_t columns, const Finish& finish) {
  using Word = typename Arithmetic::Word;
  using Sum = typename Arithmetic::Sum;
  const std::int64_t width = panel_columns<Arithmetic>();
  const std::int64_t panels = divide_up(columns, width);
  const std::int64_t words = divide_up(a.cols, Arithmetic::kDepth);
  const std::int64_t ld = panels * width;
  // Kept by each thread between tasks: allocating them anew would cost more than packing.
  static thread_local AlignedVector<Word> packed_a;
  static thread_local AlignedVector<Sum> sums;
  packed_a.resize(static_cast<std::size_t>(kBlockRows * kBlockWords));
  sums.assign(static_cast<std::size_t>(kBlockRows * ld), Sum{0});
  for (std::int64_t first = 0; first < words; first += kBlockWords) {
    const std::int64_t count = std::min(kBlockWords, words - first);
    pack_a<Arithmetic>(a, first_row, first, count, packed_a.data());
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      const Word* b = packed_b + (first * panels + panel * count) * width;
      for (std::int64_t row = 0; row < std::min(kBlockRows, a.rows - first_row); row += kMicroRows) {
        micro_kernel<Arithmetic>(packed_a.data() + row * count, b, count, sums.data() + row * ld + panel * width, ld);
      }
    }
  }
  for (std::int64_t row = first_row; row < std::min(first_row + kBlockRows, a.rows); ++row) {
    finish(row, sums.data() + (row - first_row) * ld);
  }
}

// A[m×k] · packed B, rows in parallel; finish(row, sums) gets the `columns` finished sums of each row once.
template <class Arithmetic, class T, class Finish>
void ordered_product(View<const T> a, const typename Arithmetic::Word* packed_b, std::int64_t columns,
                     const Finish& finish) {
  parallel_for(divide_up(a.rows, kBlockRows), [&](std::int64_t block) {
    row_block<Arithmetic>(a, block * kBlockRows, packed_b, columns, finish);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
