// A blocked matrix product that keeps the order of each accumulation: the sum of each segment of k is one chain in the
// order of the plan, starting at +0. Vectors run over n and never over k; blocks carry their sums, so cutting a segment
// into blocks changes no bit. One driver serves FP32, FP64 and integers; included once per Highway target.
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
#include <utility>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/parallel.h"
#include "kernels/reference/k_plan.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t kMicroRows = 6;       // rows of C held in registers
inline constexpr std::int64_t kMicroVectors = 2;    // vectors of columns held in registers
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

// Calls body(first word, words) for the blocks of k: at most kBlockWords words of one segment each.
template <class Body>
void for_each_block(const KPlan& plan, const Body& body) {
  std::int64_t first = 0;
  for (const std::int64_t words : plan.segment_words) {
    for (std::int64_t done = 0; done < words; done += kBlockWords) {
      body(first + done, std::min(kBlockWords, words - done));
    }
    first += words;
  }
}

// Packs words [first, first + count) of B[k×n].
template <class Arithmetic, class T>
void pack_block(View<const T> b, const KPlan& plan, std::int64_t first, std::int64_t count,
                typename Arithmetic::Word* base) {
  constexpr std::int64_t depth = Arithmetic::kDepth;
  const std::int64_t width = panel_columns<Arithmetic>();
  for (std::int64_t w = 0; w < count; ++w) {
    const T* row = b.row(plan.k_of_slot((first + w) * depth));
    const std::int64_t next_k = depth == 2 ? plan.k_of_slot((first + w) * depth + 1) : KPlan::kPadding;
    const T* next = next_k == KPlan::kPadding ? nullptr : b.row(next_k);
    for (std::int64_t col = 0; col < b.cols; ++col) {
      auto* panel = base + (col / width) * count * width;
      panel[w * width + col % width] = Arithmetic::word(row[col], next != nullptr ? next[col] : T{0});
    }
  }
}

// Packs all of B; done once per weight matrix.
template <class Arithmetic, class T>
AlignedVector<typename Arithmetic::Word> pack_b(View<const T> b, const KPlan& plan) {
  using Word = typename Arithmetic::Word;
  const std::int64_t width = panel_columns<Arithmetic>();
  const std::int64_t panels = divide_up(b.cols, width);
  AlignedVector<Word> packed(static_cast<std::size_t>(plan.words() * panels * width));
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
  for_each_block(plan, [&](std::int64_t first, std::int64_t count) { blocks.emplace_back(first, count); });
  parallel_for(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t index) {
    const auto [first, count] = blocks[static_cast<std::size_t>(index)];
    pack_block<Arithmetic>(b, plan, first, count, packed.data() + first * panels * width);
  });
  return packed;
}

// Packs rows [first_row, first_row + kBlockRows) and words [first, first + count) of A as [micro][word][row].
template <class Arithmetic, class T>
void pack_a(View<const T> a, const KPlan& plan, std::int64_t first_row, std::int64_t first, std::int64_t count,
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
      const std::int64_t next_k = depth == 2 ? plan.k_of_slot((first + w) * depth + 1) : KPlan::kPadding;
      lane[w * kMicroRows] = Arithmetic::word(in[plan.k_of_slot((first + w) * depth)],
                                              next_k == KPlan::kPadding ? T{0} : in[next_k]);
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

// One task: kBlockRows rows of C, all columns; after each segment of k, take(segment, row, sums of that row and segment).
template <class Arithmetic, class T, class Take>
HWY_NOINLINE void row_block(View<const T> a, const KPlan& plan, std::int64_t first_row,
                            const typename Arithmetic::Word* packed_b, std::int64_t columns, const Take& take) {
  using Word = typename Arithmetic::Word;
  using Sum = typename Arithmetic::Sum;
  const std::int64_t width = panel_columns<Arithmetic>();
  const std::int64_t panels = divide_up(columns, width);
  const std::int64_t ld = panels * width;
  const std::int64_t last_row = std::min(first_row + kBlockRows, a.rows);
  // Kept by each thread between tasks: allocating them anew would cost more than packing.
  static thread_local AlignedVector<Word> packed_a;
  static thread_local AlignedVector<Sum> sums;
  packed_a.resize(static_cast<std::size_t>(kBlockRows * kBlockWords));
  std::int64_t first_word = 0;
  for (std::size_t segment = 0; segment < plan.segment_words.size(); ++segment) {
    const std::int64_t end_word = first_word + plan.segment_words[segment];
    sums.assign(static_cast<std::size_t>(kBlockRows * ld), Sum{0});
    for (std::int64_t first = first_word; first < end_word; first += kBlockWords) {
      const std::int64_t count = std::min(kBlockWords, end_word - first);
      pack_a<Arithmetic>(a, plan, first_row, first, count, packed_a.data());
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        const Word* b = packed_b + (first * panels + panel * count) * width;
        for (std::int64_t row = 0; row < last_row - first_row; row += kMicroRows) {
          micro_kernel<Arithmetic>(packed_a.data() + row * count, b, count, sums.data() + row * ld + panel * width, ld);
        }
      }
    }
    first_word = end_word;
    for (std::int64_t row = first_row; row < last_row; ++row) {
      take(static_cast<std::int64_t>(segment), row, sums.data() + (row - first_row) * ld);
    }
  }
}

// A[m×k] · packed B. A row is worked on by one task, in blocks of kBlockRows rows; take() may change the sums.
template <class Arithmetic, class T, class Take>
void ordered_product(View<const T> a, const KPlan& plan, const typename Arithmetic::Word* packed_b,
                     std::int64_t columns, const Take& take) {
  parallel_for(divide_up(a.rows, kBlockRows), [&](std::int64_t block) {
    row_block<Arithmetic>(a, plan, block * kBlockRows, packed_b, columns, take);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace narrowgate
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
