// Tensor cores, one warp collective for each shape: acc += a · b on fragments that are spread over 32 lanes.
// With group = lane / 4 and quad = lane % 4, as PTX's documents of mma lay them out; a word's first is its low end:
//
//   mma_8x8x16    int8   a          A[group][4·quad + 0…3]                       m8n8k16, from compute capability 7.5
//                        b          B[4·quad + 0…3][group]
//                        acc[i]     C[group][2·quad + i]
//   mma_16x8x32   int8   a[i]       A[group + 8·(i % 2)][16·(i / 2) + 4·quad + 0…3]   m16n8k32, from 8.0
//                        b[i]       B[16·i + 4·quad + 0…3][group]
//   mma_16x8x8    f16    a[i]       A[group + 8·i][2·quad + 0…1]                  m16n8k8, from 7.5
//                        b          B[2·quad + 0…1][group]
//   mma_16x8x16   f16    a[i]       A[group + 8·(i % 2)][8·(i / 2) + 2·quad + 0…1]    m16n8k16, from 8.0
//                        b[i]       B[8·i + 2·quad + 0…1][group]
//   of 16 rows           acc[i]     C[group + 8·(i / 2)][2·quad + i % 2]
//
// Where an instruction does not exist yet, smaller ones do its job. Integer sums are exact and wrap. A tensor core adds
// FP32 in an order and with a rounding of its own; the host's is one order of many, a chain of FMAs from acc over
// ascending k: only a `bounded` kernel may use the f16 ones. Every lane of the warp must call.
#pragma once

#include <cstdint>

#include "kernels/simt/device_words.h"

#ifdef __CUDACC__

namespace narrowgate {

NARROWGATE_DEVICE inline void mma_8x8x16(std::int32_t (&acc)[2], std::int32_t a, std::int32_t b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(acc[0]), "+r"(acc[1])
               : "r"(a), "r"(b));
}

NARROWGATE_DEVICE inline void mma_16x8x32(std::int32_t (&acc)[4], const std::int32_t (&a)[4],
                                          const std::int32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  std::int32_t upper[2] = {acc[0], acc[1]}, lower[2] = {acc[2], acc[3]};
  mma_8x8x16(upper, a[0], b[0]);
  mma_8x8x16(upper, a[2], b[1]);
  mma_8x8x16(lower, a[1], b[0]);
  mma_8x8x16(lower, a[3], b[1]);
  acc[0] = upper[0], acc[1] = upper[1], acc[2] = lower[0], acc[3] = lower[1];
#endif
}

NARROWGATE_DEVICE inline void mma_16x8x8_f16(float (&acc)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}

NARROWGATE_DEVICE inline void mma_16x8x16_f16(float (&acc)[4], const std::uint32_t (&a)[4],
                                              const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  mma_16x8x8_f16(acc, {a[0], a[1]}, b[0]);
  mma_16x8x8_f16(acc, {a[2], a[3]}, b[1]);
#endif
}

}  // namespace narrowgate

#else

namespace narrowgate {
namespace simt {

// A lane's fragments: kRows×8 of C, k = kDepth, elements of A and B packed four or two to a word.
template <int kRows, class Sum>
struct LaneFragments {
  Sum* acc;
  const std::uint32_t* a;
  const std::uint32_t* b;
};

struct Int8Elements {
  using Sum = std::int32_t;
  using Value = std::int32_t;
  static constexpr int kInWord = 4;
  static Value element(std::uint32_t word, int i) { return static_cast<std::int8_t>(word >> (8 * i)); }
  static Sum add(Sum acc, Value a, Value b) {
    return static_cast<Sum>(static_cast<std::uint32_t>(acc) + static_cast<std::uint32_t>(a * b));
  }
};

struct Fp16Elements {
  using Sum = float;
  using Value = float;
  static constexpr int kInWord = 2;
  static Value element(std::uint32_t word, int i) {
    return __half2float({static_cast<std::uint16_t>(word >> (16 * i))});
  }
  static Sum add(Sum acc, Value a, Value b) { return std::fma(a, b, acc); }
};

// kSpan = 4·kInWord elements of k lie in one word of each of the four lanes of a group; longer depths have more words.
template <class Elements, int kRows, int kDepth>
void finish_mma(void* const (&lanes)[kWarpSize]) {
  using Fragments = LaneFragments<kRows, typename Elements::Sum>;
  constexpr int kInWord = Elements::kInWord, kSpan = 4 * kInWord, kHalves = kRows / 8;
  const auto fragments = [&](int group, int quad) -> const Fragments& {
    return *static_cast<const Fragments*>(lanes[group * 4 + quad]);
  };
  typename Elements::Value a[kRows][kDepth], b[8][kDepth];
  for (int group = 0; group < 8; ++group) {
    for (int k = 0; k < kDepth; ++k) {
      const Fragments& lane = fragments(group, k % kSpan / kInWord);
      for (int half = 0; half < kHalves; ++half) {
        a[group + 8 * half][k] = Elements::element(lane.a[k / kSpan * kHalves + half], k % kInWord);
      }
      b[group][k] = Elements::element(lane.b[k / kSpan], k % kInWord);
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < 8; ++col) {
      typename Elements::Sum& acc = fragments(row % 8, col / 2).acc[row / 8 * 2 + col % 2];
      for (int k = 0; k < kDepth; ++k) acc = Elements::add(acc, a[row][k], b[col][k]);
    }
  }
}

template <class Elements, int kRows, int kDepth>
void mma(const char* name, typename Elements::Sum* acc, const std::uint32_t* a, const std::uint32_t* b) {
  static const Collective collective{name, finish_mma<Elements, kRows, kDepth>};
  LaneFragments<kRows, typename Elements::Sum> fragments{acc, a, b};
  check_source_lane(collective, 0xffffffffu, kWarpSize - 1);  // a short warp has none of it
  join_warp(collective, 0xffffffffu, &fragments);
}

}  // namespace simt

inline void mma_8x8x16(std::int32_t (&acc)[2], std::int32_t a, std::int32_t b) {
  const auto a_word = static_cast<std::uint32_t>(a), b_word = static_cast<std::uint32_t>(b);
  simt::mma<simt::Int8Elements, 8, 16>("mma_8x8x16", acc, &a_word, &b_word);
}
inline void mma_16x8x32(std::int32_t (&acc)[4], const std::int32_t (&a)[4], const std::int32_t (&b)[2]) {
  std::uint32_t a_words[4], b_words[2];
  std::memcpy(a_words, a, sizeof a);
  std::memcpy(b_words, b, sizeof b);
  simt::mma<simt::Int8Elements, 16, 32>("mma_16x8x32", acc, a_words, b_words);
}
inline void mma_16x8x8_f16(float (&acc)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  simt::mma<simt::Fp16Elements, 16, 8>("mma_16x8x8_f16", acc, a, &b);
}
inline void mma_16x8x16_f16(float (&acc)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  simt::mma<simt::Fp16Elements, 16, 16>("mma_16x8x16_f16", acc, a, b);
}

}  // namespace narrowgate

#endif
