#include "kernels/formats/span_codec.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include <hwy/cache_control.h>

#include "kernels/formats/all_formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/formats/span_codec.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/formats/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate::formats::HWY_NAMESPACE {

// Stores the codes of four registers in order.
HWY_INLINE void StoreFour(const WordVector (&codes)[4], std::uint8_t* out) {
  hn::StoreU(GatherBytes<0>(codes[0], codes[1], codes[2], codes[3]), kBytes, out);
}
HWY_INLINE void StoreFour(const WordVector (&codes)[4], std::uint16_t* out) {
  constexpr hn::Rebind<std::uint16_t, IntegerTag> kHalfWords{};
  for (std::size_t i = 0; i < 4; ++i) {
    hn::StoreU(hn::DemoteTo(kHalfWords, hn::BitCast(kIntegers, codes[i])), kHalfWords, out + i * hn::Lanes(kWords));
  }
}

// Encodes whole groups of four registers by the short way; false, with codes of no use, when a NaN was among them.
template <const Format& kFormat>
bool EncodeWithoutNan(const float* HWY_RESTRICT x, std::size_t count, std::uint8_t* HWY_RESTRICT codes) {
  const std::size_t lanes = hn::Lanes(kFloats);
  auto largest = hn::Zero(kWords);
  for (std::size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    FloatVector part[4];
    for (std::size_t j = 0; j < 4; ++j) {
      part[j] = hn::LoadU(kFloats, x + i + j * lanes);
      largest = Larger(largest, hn::BitCast(kWords, hn::Abs(part[j])));
    }
    EncodeFour<kFormat>(part[0], part[1], part[2], part[3], codes + i);
  }
  return hn::AllFalse(kWords, Above(largest, hn::Set(kWords, kInfinityBits)));
}

// Encodes a span; true when a NaN met a format without one.
template <const Format& kFormat, Overflow kOverflow, class Code>
bool EncodePiece(const float* HWY_RESTRICT x, std::size_t count, Code* HWY_RESTRICT codes) {
  const std::size_t lanes = hn::Lanes(kFloats);
  auto nan_seen = hn::Zero(kWords);
  std::size_t i = 0;
  if constexpr (HasShortWay(kFormat) && kOverflow == Overflow::saturate && sizeof(Code) == 1) {
    if (EncodeWithoutNan<kFormat>(x, count, codes)) i = count / (4 * lanes) * (4 * lanes);
  }
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    WordVector code[4];
    for (std::size_t j = 0; j < 4; ++j) {
      code[j] = EncodeVector<kFormat, kOverflow>(hn::LoadU(kFloats, x + i + j * lanes), nan_seen);
    }
    StoreFour(code, codes + i);
  }
  bool found_nan = !hn::AllTrue(kWords, hn::Eq(nan_seen, hn::Zero(kWords)));
  for (; i < count; ++i) {
    const auto code = encode(kFormat, x[i], Rounding::nearest_even, kOverflow);
    found_nan |= !code;
    codes[i] = static_cast<Code>(code.value_or(0));
  }
  return found_nan;
}

// Decodes a span. With Streaming, `x` is aligned to a register and written past the caches.
template <const Format& kFormat, class Code, class Streaming>
void DecodePiece(const Code* HWY_RESTRICT codes, std::size_t count, float* HWY_RESTRICT x, Streaming) {
  constexpr hn::Rebind<Code, FloatTag> kCodes{};
  const std::size_t lanes = hn::Lanes(kFloats);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = DecodeVector<kFormat>(hn::PromoteTo(kWords, hn::LoadU(kCodes, codes + i)));
    if constexpr (Streaming::value) {
      hn::Stream(value, kFloats, x + i);
    } else {
      hn::StoreU(value, kFloats, x + i);
    }
  }
  for (; i < count; ++i) x[i] = decode(kFormat, codes[i]);
  if constexpr (Streaming::value) hwy::FlushStream();
}

template <class Code>
bool EncodeAny(const Format& format, Overflow overflow, const float* x, std::size_t count, Code* codes) {
#define NARROWGATE_ENCODE(kFormat)                                                                   \
  if (&format == &kFormat) {                                                                         \
    return overflow == Overflow::saturate                                                            \
               ? EncodePiece<kFormat, Overflow::saturate>(x, count, codes)                           \
               : EncodePiece<kFormat, Overflow::no_saturate>(x, count, codes);                       \
  }
  NARROWGATE_FOR_EACH_FORMAT(NARROWGATE_ENCODE)
#undef NARROWGATE_ENCODE
  return false;
}

template <class Code, class Streaming>
void DecodeAny(const Format& format, const Code* codes, std::size_t count, float* x, Streaming streaming) {
#define NARROWGATE_DECODE(kFormat) \
  if (&format == &kFormat) return DecodePiece<kFormat>(codes, count, x, streaming);
  NARROWGATE_FOR_EACH_FORMAT(NARROWGATE_DECODE)
#undef NARROWGATE_DECODE
}

bool EncodeBytes(const Format& format, Overflow overflow, const float* x, std::size_t count, std::uint8_t* codes) {
  return EncodeAny(format, overflow, x, count, codes);
}
bool EncodeHalves(const Format& format, Overflow overflow, const float* x, std::size_t count, std::uint16_t* codes) {
  return EncodeAny(format, overflow, x, count, codes);
}
void DecodeBytes(const Format& format, const std::uint8_t* codes, std::size_t count, float* x) {
  DecodeAny(format, codes, count, x, std::false_type{});
}
void DecodeBytesStreaming(const Format& format, const std::uint8_t* codes, std::size_t count, float* x) {
  DecodeAny(format, codes, count, x, std::true_type{});
}
void DecodeHalves(const Format& format, const std::uint16_t* codes, std::size_t count, float* x) {
  DecodeAny(format, codes, count, x, std::false_type{});
}

}  // namespace narrowgate::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate::formats {
namespace {

HWY_EXPORT(EncodeBytes);
HWY_EXPORT(EncodeHalves);
HWY_EXPORT(DecodeBytes);
HWY_EXPORT(DecodeBytesStreaming);
HWY_EXPORT(DecodeHalves);

// Work of one thread at a time: large enough to hide the scheduling, small enough to share fairly.
constexpr std::size_t kPiece = std::size_t{1} << 16;
// Above this many floats the output cannot stay in a last-level cache, and reading lines before they are
// overwritten would cost a third of the bandwidth.
constexpr std::size_t kStreamingFloats = std::size_t{1} << 24;

// work(first, count) over [0, size) in pieces, in parallel.
template <class Work>
void for_each_piece(std::size_t size, const Work& work) {
  if (size <= kPiece) return work(std::size_t{0}, size);
  const auto pieces = static_cast<std::ptrdiff_t>((size + kPiece - 1) / kPiece);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * kPiece;
    work(first, std::min(kPiece, size - first));
  }
}

template <class Code, class Encode>
std::optional<std::size_t> encode_pieces(std::span<const float> x, std::span<Code> codes, const Encode& encode_piece) {
  bool found_nan = false;
  for_each_piece(x.size(), [&](std::size_t first, std::size_t count) {
    if (encode_piece(x.data() + first, count, codes.data() + first)) {
#pragma omp atomic write
      found_nan = true;
    }
  });
  if (!found_nan) return std::nullopt;
  const auto is_nan = [](float value) { return value != value; };
  return static_cast<std::size_t>(std::find_if(x.begin(), x.end(), is_nan) - x.begin());
}

}  // namespace

std::optional<std::size_t> encode_span(const Format& format, std::span<const float> x, std::span<std::uint8_t> codes,
                                       Overflow overflow) {
  return encode_pieces(x, codes, [&](const float* in, std::size_t count, std::uint8_t* out) {
    return HWY_DYNAMIC_DISPATCH(EncodeBytes)(format, overflow, in, count, out);
  });
}

std::optional<std::size_t> encode_span(const Format& format, std::span<const float> x, std::span<std::uint16_t> codes,
                                       Overflow overflow) {
  return encode_pieces(x, codes, [&](const float* in, std::size_t count, std::uint16_t* out) {
    return HWY_DYNAMIC_DISPATCH(EncodeHalves)(format, overflow, in, count, out);
  });
}

std::optional<std::size_t> encode_span_stochastic(const Format& format, std::span<const float> x,
                                                  std::span<std::uint8_t> codes, const RandomStream& stream,
                                                  Overflow overflow) {
  return encode_pieces(x, codes, [&](const float* in, std::size_t count, std::uint8_t* out) {
    const std::size_t first = static_cast<std::size_t>(in - x.data());  // a multiple of four
    bool found_nan = false;
    std::array<std::uint32_t, 4> words{};
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 4 == 0) words = philox_block(stream, (first + i) / 4);
      const auto code = encode(format, in[i], Rounding::stochastic, overflow, words[i % 4]);
      found_nan |= !code;
      out[i] = static_cast<std::uint8_t>(code.value_or(0));
    }
    return found_nan;
  });
}

void decode_span(const Format& format, std::span<const std::uint8_t> codes, std::span<float> x) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0;
  if (x.size() >= kStreamingFloats && is_aligned) {
    return for_each_piece(x.size(), [&](std::size_t first, std::size_t count) {
      HWY_DYNAMIC_DISPATCH(DecodeBytesStreaming)(format, codes.data() + first, count, x.data() + first);
    });
  }
  for_each_piece(x.size(), [&](std::size_t first, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(DecodeBytes)(format, codes.data() + first, count, x.data() + first);
  });
}

void decode_span(const Format& format, std::span<const std::uint16_t> codes, std::span<float> x) {
  for_each_piece(x.size(), [&](std::size_t first, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(DecodeHalves)(format, codes.data() + first, count, x.data() + first);
  });
}

}  // namespace narrowgate::formats
#endif
