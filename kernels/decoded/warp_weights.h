// How a lane of a warp decodes the packed weights of the `lanes` order (warp_packing.h), and which x it multiplies.
//
// Decoding is exact where the scheme's is: an integer is put into the mantissa of a float by its bits, and one fused
// multiply-add or a subtraction takes the float's own one out.
#pragma once

#include <cstdint>

#include "kernels/decoded/warp_packing.h"
#include "kernels/simt/device_words.h"
#include "kernels/simt/half_bits.h"

namespace narrowgate::decoded {

// FP32: nothing to decode.
struct FloatWeights {
  static constexpr int kVector = 4, kPerUnit = 4;
  static constexpr bool kHasScales = false, kHasZeroPoints = false;
  struct Constants {};
  NARROWGATE_DEVICE static Constants constants(float, float) { return {}; }
  NARROWGATE_DEVICE static void decode(const SixteenBytes& piece, int, const Constants&, float (&to)[kPerUnit]) {
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerUnit; ++i) to[i] = __uint_as_float(piece.words[i]);
  }
  NARROWGATE_DEVICE static void read_x(const SixteenBytes& unit, float (&to)[kPerUnit]) { decode(unit, 0, {}, to); }
  NARROWGATE_DEVICE static SixteenBytes write_x(const float (&from)[kPerUnit]) {
    return {{__float_as_uint(from[0]), __float_as_uint(from[1]), __float_as_uint(from[2]), __float_as_uint(from[3])}};
  }
};

// Activations of weight-only schemes are FP16 values: eight a unit.
struct HalfActivations {
  static constexpr int kPerUnit = 8;
  NARROWGATE_DEVICE static void read_x(const SixteenBytes& unit, float (&to)[kPerUnit]) {
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerUnit; ++i) to[i] = half_to_float(unit.words[i / 2], i % 2);
  }
  NARROWGATE_DEVICE static SixteenBytes write_x(const float (&from)[kPerUnit]) {
    SixteenBytes unit;
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerUnit / 2; ++i) unit.words[i] = floats_to_halves(from[2 * i], from[2 * i + 1]);
    return unit;
  }
};

// The masked bits of a word under the exponent of a power of two. One instruction, which nvcc makes two of where both
// constants are known to it.
NARROWGATE_DEVICE inline float with_exponent(std::uint32_t exponent, std::uint32_t word, std::uint32_t mask) {
#ifdef __CUDACC__
  std::uint32_t bits;
  constexpr int kAndOr = 0xEA;  // (word & mask) | exponent
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(bits) : "r"(word), "r"(mask), "r"(exponent), "n"(kAndOr));
  return __uint_as_float(bits);
#else
  return __uint_as_float((word & mask) | exponent);
#endif
}
inline constexpr std::uint32_t kExponentOfOne = 0x3F800000u, kExponentOfTwoTo23 = 0x4B000000u;
inline constexpr float kTwoTo23 = 8388608.0f;

// kCommon: symmetric codes, one zero point for all.
enum class ZeroPoint { kCommon, kInteger, kFractional };

// Any width: (q − z)·s by a subtraction and a product; exact for integer z, and fl(fl(q − z)·s) for HQQ's fractions.
template <int kBits, ZeroPoint kZero>
struct IntegerWeights : HalfActivations {
  static constexpr int kVector = 128 / kBits;
  static constexpr bool kHasScales = kBits != 8, kHasZeroPoints = kZero != ZeroPoint::kCommon;
  // Binary weights are −1 and 1: twice the code, less one.
  static constexpr std::uint32_t kMask = kBits == 1 ? 2 : (1u << kBits) - 1;
  struct Constants {
    float scale, zero;
  };
  NARROWGATE_DEVICE static std::uint32_t shifted(const SixteenBytes& piece, int bit) {
    const std::uint32_t word = piece.words[bit / 32];
    if (kBits != 1) return word >> (bit % 32);
    return bit % 32 == 0 ? word << 1 : word >> (bit % 32 - 1);
  }
  NARROWGATE_DEVICE static Constants constants(float scale, float zero) {
    return {scale, kZero == ZeroPoint::kFractional ? zero : __fadd_rn(kTwoTo23, zero)};
  }
  NARROWGATE_DEVICE static void decode(const SixteenBytes& piece, int unit, const Constants& by, float (&to)[kPerUnit]) {
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerUnit; ++i) {
      const float code = with_exponent(kExponentOfTwoTo23, shifted(piece, (unit * kPerUnit + i) * kBits), kMask);
      const float difference = kZero == ZeroPoint::kFractional ? __fsub_rn(__fsub_rn(code, kTwoTo23), by.zero)
                                                               : __fsub_rn(code, by.zero);
      to[i] = kHasScales ? __fmul_rn(difference, by.scale) : difference;
    }
  }
};

// Four bits: a nibble at bit 12 or 16 of a word is q·2⁻¹¹ or q·2⁻⁷ of a float's mantissa, so that one fused multiply-add,
// (1 + q·2⁻ᵖ)·s − s·(1 + z·2⁻ᵖ), gives s·(q − z)·2⁻ᵖ; s has eleven bits, so every term is exact. Three shifts bring all
// eight nibbles of a word there.
struct Nibbles {
  std::uint32_t word, left, right, swapped;
  NARROWGATE_DEVICE static Nibbles of(std::uint32_t word) { return {word, word << 8, word >> 8, __byte_perm(word, word, 0x1032)}; }
  // Nibble i as 1 + q·2⁻⁷ (i even) or 1 + q·2⁻¹¹ (odd).
  NARROWGATE_DEVICE float operator[](int i) const {
    const std::uint32_t from = i == 0 || i == 7 ? swapped : i < 3 ? left : i < 5 ? word : right;
    return with_exponent(kExponentOfOne, from, i % 2 == 0 ? 0xF0000u : 0xF000u);
  }
};

// Several tokens: x as FP16, 2ᵖ goes into the scale.
template <ZeroPoint kZero>
struct FourBitWeights : HalfActivations {
  static constexpr int kVector = 32;
  static constexpr bool kHasScales = true, kHasZeroPoints = kZero != ZeroPoint::kCommon;
  struct Constants {
    float scales[2], offsets[2];  // of even and of odd nibbles
  };
  NARROWGATE_DEVICE static Constants constants(float scale, float zero) {
    return {{__fmul_rn(scale, 128.0f), __fmul_rn(scale, 2048.0f)},
            {__fmul_rn(-scale, __fadd_rn(128.0f, zero)), __fmul_rn(-scale, __fadd_rn(2048.0f, zero))}};
  }
  NARROWGATE_DEVICE static void decode(const SixteenBytes& piece, int unit, const Constants& by, float (&to)[kPerUnit]) {
    const Nibbles nibbles = Nibbles::of(piece.words[unit]);
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerUnit; ++i) to[i] = __fmaf_rn(nibbles[i], by.scales[i % 2], by.offsets[i % 2]);
  }
};

// One token: x as FP32 times 2ᵖ, which saves converting it and two registers a channel.
template <ZeroPoint kZero>
struct FourBitWeightsOfOneToken {
  static constexpr int kVector = 32, kPerUnit = 4;
  static constexpr bool kHasScales = true, kHasZeroPoints = kZero != ZeroPoint::kCommon;
  struct Constants {
    float scale, offsets[2];
  };
  NARROWGATE_DEVICE static Constants constants(float scale, float zero) {
    return {scale,
            {__fmul_rn(-scale, __fadd_rn(1.0f, __fmul_rn(zero, 0x1p-7f))), __fmul_rn(-scale, __fadd_rn(1.0f, __fmul_rn(zero, 0x1p-11f)))}};
  }
  NARROWGATE_DEVICE static void decode(const SixteenBytes& piece, int unit, const Constants& by, float (&to)[kPerUnit]) {
    const Nibbles nibbles = Nibbles::of(piece.words[unit / 2]);
    NARROWGATE_UNROLL
    for (int i = 0; i < kPerUnit; ++i) to[i] = __fmaf_rn(nibbles[unit % 2 * kPerUnit + i], by.scale, by.offsets[i % 2]);
  }
  NARROWGATE_DEVICE static void read_x(const SixteenBytes& unit, float (&to)[kPerUnit]) {
    FloatWeights::read_x(unit, to);
  }
  NARROWGATE_DEVICE static SixteenBytes write_x(const float (&from)[kPerUnit]) {
    return FloatWeights::write_x({__fmul_rn(from[0], 128.0f), __fmul_rn(from[1], 2048.0f), __fmul_rn(from[2], 128.0f),
                                  __fmul_rn(from[3], 2048.0f)});
  }
};

}  // namespace narrowgate::decoded
