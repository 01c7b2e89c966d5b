// Vector encode and decode of one register, for any format, known at compile time. Included once per SIMD target
// by files that use Highway's foreach_target; scalar.h defines what the results must be.
#if defined(NARROWGATE_FORMATS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NARROWGATE_FORMATS_SIMD_INL_H_
#undef NARROWGATE_FORMATS_SIMD_INL_H_
#else
#define NARROWGATE_FORMATS_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/formats/scalar.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate::formats::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using WordTag = hn::RebindToUnsigned<FloatTag>;
using IntegerTag = hn::RebindToSigned<FloatTag>;
using FloatVector = hn::Vec<FloatTag>;
using WordVector = hn::Vec<WordTag>;

inline constexpr FloatTag kFloats{};
inline constexpr WordTag kWords{};
inline constexpr IntegerTag kIntegers{};

inline constexpr std::uint32_t kInfinityBits = 0x7F800000;

// All magnitudes here are below 2³¹, where signed comparison (the one that AVX2 has) orders them too.
HWY_INLINE hn::Mask<WordTag> Above(WordVector a, WordVector b) {
  return hn::RebindMask(kWords, hn::Gt(hn::BitCast(kIntegers, a), hn::BitCast(kIntegers, b)));
}
HWY_INLINE WordVector Larger(WordVector a, WordVector b) {
  return hn::BitCast(kWords, hn::Max(hn::BitCast(kIntegers, a), hn::BitCast(kIntegers, b)));
}
HWY_INLINE WordVector Smaller(WordVector a, WordVector b) {
  return hn::BitCast(kWords, hn::Min(hn::BitCast(kIntegers, a), hn::BitCast(kIntegers, b)));
}

// Magnitude code of |x| given as FP32 bits no larger than a power of two just past the format's range.
// Adding 2^(e + 23 − m) to a number in [2^e, 2^(e+1)) leaves in the low bits of the sum the number rounded to a
// multiple of 2^(e − m): the adder does the rounding, ties to even, carries included.
template <const Format& kFormat>
HWY_INLINE WordVector RoundedMagnitude(WordVector magnitude) {
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  constexpr int kLowest = kFormat.minimum_exponent();
  if constexpr (kLowest < -126) {  // E8M0: below 2⁻¹²⁶ lie only 2⁻¹²⁷ and a tie at 1.5 of it, which is even
    static_assert(kFormat.mantissa_bits == 0 && kLowest == -127);
    const auto odd = hn::And(hn::ShiftRight<23>(magnitude), hn::Set(kWords, 1));
    const auto normal = hn::ShiftRight<23>(hn::Add(hn::Add(magnitude, hn::Set(kWords, 0x3FFFFF)), odd));
    const auto above_tie = hn::IfThenElseZero(Above(magnitude, hn::Set(kWords, 0x600000)), hn::Set(kWords, 1));
    return hn::IfThenElse(Above(hn::Set(kWords, 0x800000), magnitude), above_tie, normal);
  } else if constexpr (kLowest == -126) {  // FP32's own exponents: the code is the upper part of the bits
    const auto odd = hn::And(hn::ShiftRight<kShift>(magnitude), hn::Set(kWords, 1));
    return hn::ShiftRight<kShift>(hn::Add(hn::Add(magnitude, hn::Set(kWords, (1u << (kShift - 1)) - 1)), odd));
  } else {
    constexpr std::uint32_t kLowestBits = static_cast<std::uint32_t>(kLowest + 127) << 23;
    const auto exponent = Larger(hn::And(magnitude, hn::Set(kWords, kInfinityBits)), hn::Set(kWords, kLowestBits));
    const auto magic = hn::Add(exponent, hn::Set(kWords, static_cast<std::uint32_t>(kShift) << 23));
    const auto sum =
        hn::BitCast(kWords, hn::Add(hn::BitCast(kFloats, magnitude), hn::BitCast(kFloats, magic)));
    const auto significand = hn::Sub(sum, magic);
    return hn::Add(hn::ShiftRight<kShift>(hn::Sub(exponent, hn::Set(kWords, kLowestBits))), significand);
  }
}

// Codes of a register. Lanes of `nan_seen` become nonzero where x is NaN and the format has no code for it.
template <const Format& kFormat, Overflow kOverflow>
HWY_INLINE WordVector EncodeFloating(FloatVector x, WordVector& nan_seen) {
  constexpr bool kSaturate = kOverflow == Overflow::saturate || !kFormat.has_nan();
  // 2^(emax+1) rounds beyond the maximum and keeps RoundedMagnitude inside FP32; E8M0 and BF16 need no limit.
  constexpr std::uint32_t kLimit = kSaturate ? std::bit_cast<std::uint32_t>(maximum(kFormat))
                                   : maximum_exponent(kFormat) < 127
                                       ? static_cast<std::uint32_t>(maximum_exponent(kFormat) + 128) << 23
                                       : kInfinityBits;
  const auto bits = hn::BitCast(kWords, x);
  const auto magnitude = hn::And(bits, hn::Set(kWords, 0x7FFFFFFF));
  const auto is_nan = Above(magnitude, hn::Set(kWords, kInfinityBits));
  auto code = RoundedMagnitude<kFormat>(Smaller(magnitude, hn::Set(kWords, kLimit)));
  if constexpr (kFormat.is_signed) {
    const auto sign = hn::And(hn::ShiftRight<32 - kFormat.bits>(bits), hn::Set(kWords, kFormat.sign_bit()));
    if constexpr (!kSaturate) {
      const auto is_beyond = Above(code, hn::Set(kWords, kFormat.maximum_code()));
      code = hn::IfThenElse(is_beyond, hn::Set(kWords, overflow_code(kFormat, 0, kOverflow)), code);
    }
    if constexpr (kFormat.has_minus_zero()) {
      constexpr bool kNanHasNoSign = !kSaturate && !kFormat.has_infinity();
      const auto with_sign = hn::Or(code, sign);
      code = kNanHasNoSign ? hn::IfThenElse(Above(code, hn::Set(kWords, kFormat.maximum_code())), code, with_sign)
                           : with_sign;
    } else {
      const auto is_zero = hn::Eq(code, hn::Zero(kWords));
      code = hn::Or(code, hn::IfThenZeroElse(is_zero, sign));
    }
  } else {
    const auto has_sign = Above(hn::Zero(kWords), bits);
    const auto is_negative = hn::AndNot(hn::Eq(magnitude, hn::Zero(kWords)), has_sign);
    code = hn::IfThenElse(is_negative, hn::Set(kWords, kFormat.nan_code()), code);
  }
  if constexpr (kFormat.has_nan()) return hn::IfThenElse(is_nan, hn::Set(kWords, kFormat.nan_code()), code);
  nan_seen = hn::Or(nan_seen, hn::VecFromMask(kWords, is_nan));
  return code;
}

template <const Format& kFormat>
HWY_INLINE WordVector EncodeInteger(FloatVector x, WordVector& nan_seen) {
  const auto is_nan = hn::RebindMask(kWords, hn::IsNaN(x));
  nan_seen = hn::Or(nan_seen, hn::VecFromMask(kWords, is_nan));
  if constexpr (kFormat.kind == Kind::sign) {
    const auto is_minus = hn::RebindMask(kWords, hn::Lt(x, hn::Zero(kFloats)));
    return hn::IfThenZeroElse(is_minus, hn::Set(kWords, 1));
  }
  // Clamping first keeps the product and the conversion in range; the ends are integers, so the order is free.
  constexpr float kStep = static_cast<float>(power_of_two(kFormat.fraction_bits));
  const auto clamped = hn::Min(hn::Max(x, hn::Set(kFloats, static_cast<float>(kFormat.minimum) / kStep)),
                               hn::Set(kFloats, static_cast<float>(kFormat.maximum) / kStep));
  const auto integer = hn::NearestInt(hn::Mul(clamped, hn::Set(kFloats, kStep)));
  return hn::And(hn::BitCast(kWords, integer), hn::Set(kWords, kFormat.code_mask()));
}

template <const Format& kFormat, Overflow kOverflow>
HWY_INLINE WordVector EncodeVector(FloatVector x, WordVector& nan_seen) {
  if constexpr (kFormat.is_floating()) {
    return EncodeFloating<kFormat, kOverflow>(x, nan_seen);
  } else {
    return EncodeInteger<kFormat>(x, nan_seen);
  }
}

// Value of magnitude codes, as FP32 bits. A subnormal n·2^(e − m) is got as 2^e(1 + n·2^−m) − 2^e, both exact, so
// no FP32 subnormal ever reaches the arithmetic.
template <const Format& kFormat>
HWY_INLINE WordVector DecodeMagnitude(WordVector magnitude) {
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  const auto shifted = hn::ShiftLeft<kShift>(magnitude);
  if constexpr (kFormat.bias == 127) {  // FP32's own exponents; E8M0's lowest code is an FP32 subnormal
    if constexpr (kFormat.has_subnormals) return shifted;
    return hn::IfThenElse(hn::Eq(magnitude, hn::Zero(kWords)), hn::Set(kWords, 0x400000), shifted);
  } else {
    constexpr std::uint32_t kOffset = static_cast<std::uint32_t>(127 - kFormat.bias) << 23;
    constexpr std::uint32_t kLowest = static_cast<std::uint32_t>(kFormat.minimum_exponent() + 127) << 23;
    const auto normal = hn::Add(shifted, hn::Set(kWords, kOffset));
    const auto with_one = hn::BitCast(kFloats, hn::Add(shifted, hn::Set(kWords, kLowest)));
    const auto subnormal = hn::BitCast(kWords, hn::Sub(with_one, hn::BitCast(kFloats, hn::Set(kWords, kLowest))));
    return hn::IfThenElse(Above(hn::Set(kWords, 1u << kFormat.mantissa_bits), magnitude), subnormal, normal);
  }
}

template <const Format& kFormat>
HWY_INLINE FloatVector DecodeFloating(WordVector code) {
  const auto magnitude = hn::And(code, hn::Set(kWords, kFormat.magnitude_mask()));
  auto bits = DecodeMagnitude<kFormat>(magnitude);
  if constexpr (kFormat.has_infinity() && kFormat.bias != 127) {
    // Exponent all ones; the mantissa stays, and zero means infinity.
    const auto is_special = Above(magnitude, hn::Set(kWords, kFormat.maximum_code()));
    bits = hn::IfThenElse(is_special, hn::Or(bits, hn::Set(kWords, kInfinityBits)), bits);
  }
  if constexpr (kFormat.specials == Specials::nan_all_ones) {
    const auto is_nan = hn::Eq(magnitude, hn::Set(kWords, kFormat.magnitude_mask()));
    bits = hn::IfThenElse(is_nan, hn::Set(kWords, 0x7FC00000), bits);
  }
  if constexpr (kFormat.is_signed) {
    const auto sign = hn::And(code, hn::Set(kWords, kFormat.sign_bit()));
    bits = hn::Or(bits, hn::ShiftLeft<32 - kFormat.bits>(sign));
  }
  if constexpr (kFormat.specials == Specials::nan_minus_zero) {
    const auto is_nan = hn::Eq(hn::And(code, hn::Set(kWords, kFormat.code_mask())), hn::Set(kWords, kFormat.sign_bit()));
    bits = hn::IfThenElse(is_nan, hn::Set(kWords, 0x7FC00000), bits);
  }
  return hn::BitCast(kFloats, bits);
}

// Values of codes; bits above the format's are ignored. NaN payloads are unspecified.
template <const Format& kFormat>
HWY_INLINE FloatVector DecodeVector(WordVector code) {
  if constexpr (kFormat.is_floating()) {
    return DecodeFloating<kFormat>(code);
  } else if constexpr (kFormat.kind == Kind::sign) {
    const auto is_plus = hn::Ne(hn::And(code, hn::Set(kWords, 1)), hn::Zero(kWords));
    return hn::IfThenElse(hn::RebindMask(kFloats, is_plus), hn::Set(kFloats, 1.0f), hn::Set(kFloats, -1.0f));
  } else {
    constexpr int kUnused = 32 - kFormat.bits;
    const auto top = hn::ShiftLeft<kUnused>(code);
    const auto integer = kFormat.is_signed ? hn::ShiftRight<kUnused>(hn::BitCast(kIntegers, top))
                                           : hn::BitCast(kIntegers, hn::ShiftRight<kUnused>(top));
    constexpr float kStep = static_cast<float>(power_of_two(-kFormat.fraction_bits));
    return hn::Mul(hn::ConvertTo(kFloats, integer), hn::Set(kFloats, kStep));
  }
}

// Writes four registers of codes below 256 as consecutive bytes. The codes are gathered into words (one byte from
// each register), then the bytes transposed within 16-byte blocks, then the words across blocks.
HWY_INLINE void StoreCodes(WordVector a, WordVector b, WordVector c, WordVector d, std::uint8_t* out) {
  constexpr hn::Repartition<std::uint8_t, WordTag> kBytes{};
  const auto low = hn::Or(a, hn::ShiftLeft<8>(b));
  const auto high = hn::Or(hn::ShiftLeft<16>(c), hn::ShiftLeft<24>(d));
  alignas(16) static constexpr std::uint8_t kTranspose[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  const auto bytes =
      hn::TableLookupBytes(hn::BitCast(kBytes, hn::Or(low, high)), hn::LoadDup128(kBytes, kTranspose));
  constexpr std::size_t kBlocks = hn::MaxLanes(kWords) / 4;
  if constexpr (kBlocks == 1) {
    hn::StoreU(bytes, kBytes, out);
  } else {
    HWY_ALIGN std::int32_t order[hn::MaxLanes(kWords)];
    for (std::size_t i = 0; i < hn::MaxLanes(kWords); ++i) order[i] = static_cast<std::int32_t>(i % kBlocks * 4 + i / kBlocks);
    const auto words = hn::TableLookupLanes(hn::BitCast(kWords, bytes), hn::SetTableIndices(kWords, order));
    hn::StoreU(hn::BitCast(kBytes, words), kBytes, out);
  }
}

}  // namespace narrowgate::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
