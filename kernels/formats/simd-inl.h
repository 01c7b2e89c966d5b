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

using ByteTag = hn::Repartition<std::uint8_t, WordTag>;
inline constexpr ByteTag kBytes{};

// For TableLookupBytesOr0: byte `byte` of each word of a 16-byte block goes to the block's word `place`, else zero.
// Written out for the widest register, so that an instruction can read it from memory.
struct alignas(64) ByteTable {
  std::uint8_t from[64];
};
constexpr ByteTable PickingTable(int byte, int place) {
  ByteTable table{};
  for (int i = 0; i < 64; ++i) {
    const int to = i % 16;
    table.from[i] = static_cast<std::uint8_t>(to / 4 == place ? to % 4 * 4 + byte : 0x80);
  }
  return table;
}
template <int kByte, int kPlace>
inline constexpr ByteTable kPickingTable = PickingTable(kByte, kPlace);

template <std::uint8_t kByte, int kPlace>
HWY_INLINE hn::Vec<ByteTag> PickByte(WordVector words) {
  return hn::TableLookupBytesOr0(hn::BitCast(kBytes, words), hn::Load(kBytes, kPickingTable<kByte, kPlace>.from));
}

// Byte `kByte` of each word of four registers, in order: picked within 16-byte blocks, then ordered across them.
template <std::uint8_t kByte>
HWY_INLINE hn::Vec<ByteTag> GatherBytes(WordVector a, WordVector b, WordVector c, WordVector d) {
  const auto blocks =
      hn::Or(hn::Or(PickByte<kByte, 0>(a), PickByte<kByte, 1>(b)), hn::Or(PickByte<kByte, 2>(c), PickByte<kByte, 3>(d)));
  constexpr std::size_t kBlocks = hn::MaxLanes(kWords) / 4;
  if constexpr (kBlocks == 1) {
    return blocks;
  } else {
    HWY_ALIGN std::int32_t order[hn::MaxLanes(kWords)];
    for (std::size_t i = 0; i < hn::MaxLanes(kWords); ++i) order[i] = static_cast<std::int32_t>(i % kBlocks * 4 + i / kBlocks);
    return hn::BitCast(kBytes, hn::TableLookupLanes(hn::BitCast(kWords, blocks), hn::SetTableIndices(kWords, order)));
  }
}

// Small floating formats have a shorter way from four registers to bytes, if x holds no NaN and overflow saturates.
constexpr bool HasShortWay(const Format& format) {
  return format.is_floating() && format.is_signed && format.bits <= 8;
}

// Low byte: magnitude code plus a constant, modulo 256. With F the exponent field and n < 2^(m+2) the mantissa of
// the sum that RoundedMagnitude explains, the code is F·2^m + n less a constant, and sum = F·2²³ + n.
template <const Format& kFormat>
HWY_INLINE WordVector BiasedMagnitude(FloatVector x) {
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  constexpr std::uint32_t kLowestBits = static_cast<std::uint32_t>(kFormat.minimum_exponent() + 127) << 23;
  const auto magnitude = hn::Min(hn::Abs(x), hn::Set(kFloats, maximum(kFormat)));
  const auto exponent = hn::And(hn::BitCast(kWords, hn::Max(magnitude, hn::BitCast(kFloats, hn::Set(kWords, kLowestBits)))),
                                hn::Set(kWords, kInfinityBits));
  const auto magic = hn::Add(exponent, hn::Set(kWords, static_cast<std::uint32_t>(kShift) << 23));
  const auto sum = hn::BitCast(kWords, hn::Add(magnitude, hn::BitCast(kFloats, magic)));
  return hn::Add(sum, hn::ShiftRight<kShift>(sum));
}

template <const Format& kFormat>
HWY_INLINE void EncodeFourShortly(FloatVector a, FloatVector b, FloatVector c, FloatVector d, std::uint8_t* out) {
  static_assert(kFormat.mantissa_bits <= 4, "the mantissa of the sum must fit the low byte");
  constexpr int kLowestField = kFormat.minimum_exponent() + 127 + 23 - kFormat.mantissa_bits;
  constexpr auto kConstant = static_cast<std::uint8_t>(kLowestField << kFormat.mantissa_bits);
  const auto biased = GatherBytes<0>(BiasedMagnitude<kFormat>(a), BiasedMagnitude<kFormat>(b),
                                     BiasedMagnitude<kFormat>(c), BiasedMagnitude<kFormat>(d));
  const auto code = hn::Sub(biased, hn::Set(kBytes, kConstant));
  const auto tops = GatherBytes<3>(hn::BitCast(kWords, a), hn::BitCast(kWords, b), hn::BitCast(kWords, c),
                                   hn::BitCast(kWords, d));
  // One bit a byte, so a shift of whole words moves it within its byte.
  const auto high = hn::BitCast(kWords, hn::And(tops, hn::Set(kBytes, std::uint8_t{0x80})));
  const auto sign = hn::BitCast(kBytes, hn::ShiftRight<8 - kFormat.bits>(high));
  if constexpr (kFormat.has_minus_zero()) {
    hn::StoreU(hn::Or(code, sign), kBytes, out);
  } else {
    hn::StoreU(hn::Or(code, hn::IfThenZeroElse(hn::Eq(code, hn::Zero(kBytes)), sign)), kBytes, out);
  }
}

// Codes of four registers of finite numbers and infinities, saturating, as consecutive bytes.
template <const Format& kFormat>
HWY_INLINE void EncodeFour(FloatVector a, FloatVector b, FloatVector c, FloatVector d, std::uint8_t* out) {
  if constexpr (HasShortWay(kFormat)) {
    EncodeFourShortly<kFormat>(a, b, c, d, out);
  } else {
    auto nan_seen = hn::Zero(kWords);
    const auto bytes = GatherBytes<0>(EncodeVector<kFormat, Overflow::saturate>(a, nan_seen),
                                      EncodeVector<kFormat, Overflow::saturate>(b, nan_seen),
                                      EncodeVector<kFormat, Overflow::saturate>(c, nan_seen),
                                      EncodeVector<kFormat, Overflow::saturate>(d, nan_seen));
    hn::StoreU(bytes, kBytes, out);
  }
}

}  // namespace narrowgate::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
