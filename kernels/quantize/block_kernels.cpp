#include "kernels/quantize/block_kernels.h"

#include <algorithm>
#include <bit>

#include "kernels/formats/all_formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantize/block_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/formats/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace narrowgate::quantize::HWY_NAMESPACE {
namespace fm = formats::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;
using fm::kFloats;
using fm::kWords;

constexpr std::uint32_t kMagnitudeMask = 0x7FFFFFFF;

HWY_INLINE fm::WordVector Magnitude(const float* x) {
  return hn::And(hn::BitCast(kWords, hn::LoadU(kFloats, x)), hn::Set(kWords, kMagnitudeMask));
}

// Magnitudes are compared as integers: the order of finite floats, with infinities and NaN above them all.
std::uint32_t RunMaximum(const float* HWY_RESTRICT x, std::size_t count) {
  const std::size_t lanes = hn::Lanes(kFloats);
  auto even = hn::Zero(kWords);
  auto odd = hn::Zero(kWords);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    even = fm::Larger(even, Magnitude(x + i));
    odd = fm::Larger(odd, Magnitude(x + i + lanes));
  }
  for (; i + lanes <= count; i += lanes) even = fm::Larger(even, Magnitude(x + i));
  std::uint32_t maximum = hn::GetLane(hn::MaxOfLanes(kWords, fm::Larger(even, odd)));
  for (; i < count; ++i) maximum = std::max(maximum, std::bit_cast<std::uint32_t>(x[i]) & kMagnitudeMask);
  return maximum;
}

void UpdateRunMaxima(const float* x, std::size_t count, std::size_t length, float* maxima) {
  for (std::size_t first = 0; first < count; first += length, ++maxima) {
    const std::uint32_t maximum = RunMaximum(x + first, std::min(length, count - first));
    *maxima = std::bit_cast<float>(std::max(std::bit_cast<std::uint32_t>(*maxima), maximum));
  }
}

void UpdateColumnMaxima(const float* HWY_RESTRICT x, std::size_t count, float* HWY_RESTRICT maxima) {
  const std::size_t lanes = hn::Lanes(kFloats);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto maximum = fm::Larger(Magnitude(maxima + i), Magnitude(x + i));
    hn::StoreU(hn::BitCast(kFloats, maximum), kFloats, maxima + i);
  }
  for (; i < count; ++i) UpdateRunMaxima(x + i, 1, 1, maxima + i);
}

// Encodes scaled(offset) for offsets 0, lanes, … as long as a register is full; the rest, with scaled_one(offset).
template <const formats::Format& kFormat, class Scaled, class ScaledOne>
HWY_INLINE void EncodeScaled(std::size_t count, std::uint8_t* HWY_RESTRICT codes, const Scaled& scaled,
                             const ScaledOne& scaled_one) {
  constexpr auto kSaturate = formats::Overflow::saturate;
  const std::size_t lanes = hn::Lanes(kFloats);
  auto nan_seen = hn::Zero(kWords);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto a = fm::EncodeVector<kFormat, kSaturate>(scaled(i), nan_seen);
    const auto b = fm::EncodeVector<kFormat, kSaturate>(scaled(i + lanes), nan_seen);
    const auto c = fm::EncodeVector<kFormat, kSaturate>(scaled(i + 2 * lanes), nan_seen);
    const auto d = fm::EncodeVector<kFormat, kSaturate>(scaled(i + 3 * lanes), nan_seen);
    fm::StoreCodes(a, b, c, d, codes + i);
  }
  for (; i + lanes <= count; i += lanes) {
    constexpr hn::Rebind<std::uint8_t, fm::IntegerTag> kBytes{};
    const auto code = hn::BitCast(fm::kIntegers, fm::EncodeVector<kFormat, kSaturate>(scaled(i), nan_seen));
    hn::StoreU(hn::DemoteTo(kBytes, code), kBytes, codes + i);
  }
  for (; i < count; ++i) codes[i] = static_cast<std::uint8_t>(*formats::encode(kFormat, scaled_one(i)));
}

// For these 1/scale is exact, and x·(1/scale) is the same real number as x/scale, so it rounds to the same bits.
HWY_INLINE bool IsNormalPowerOfTwo(float scale) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(scale);
  return (bits & 0x7FFFFF) == 0 && bits != 0;
}

template <const formats::Format& kFormat>
void EncodeRun(const float* HWY_RESTRICT x, std::size_t count, float scale, std::uint8_t* HWY_RESTRICT codes) {
  if (IsNormalPowerOfTwo(scale)) {
    const float factor = 1.0f / scale;
    const auto factors = hn::Set(kFloats, factor);
    EncodeScaled<kFormat>(
        count, codes, [&](std::size_t i) HWY_ATTR { return hn::Mul(hn::LoadU(kFloats, x + i), factors); },
        [&](std::size_t i) { return x[i] * factor; });
  } else {
    const auto scales = hn::Set(kFloats, scale);
    EncodeScaled<kFormat>(
        count, codes, [&](std::size_t i) HWY_ATTR { return hn::Div(hn::LoadU(kFloats, x + i), scales); },
        [&](std::size_t i) { return x[i] / scale; });
  }
}

template <const formats::Format& kFormat>
void EncodeRunsOf(const float* x, std::size_t count, std::size_t length, const float* scales, std::uint8_t* codes) {
  for (std::size_t first = 0; first < count; first += length, ++scales) {
    EncodeRun<kFormat>(x + first, std::min(length, count - first), *scales, codes + first);
  }
}

template <const formats::Format& kFormat>
void EncodeColumnsOf(const float* HWY_RESTRICT x, std::size_t count, const float* HWY_RESTRICT scales,
                     std::uint8_t* HWY_RESTRICT codes) {
  EncodeScaled<kFormat>(
      count, codes,
      [&](std::size_t i) HWY_ATTR { return hn::Div(hn::LoadU(kFloats, x + i), hn::LoadU(kFloats, scales + i)); },
      [&](std::size_t i) { return x[i] / scales[i]; });
}

// Elements that take a scale without a zero point. The integers whose codes are numbers have their own quantizers.
constexpr bool IsElement(const formats::Format& format) {
  return format.bits <= 8 && format.is_signed && (format.is_floating() || format.fraction_bits > 0);
}

void EncodeRuns(const formats::Format& element, const float* x, std::size_t count, std::size_t length,
                const float* scales, std::uint8_t* codes) {
  using namespace formats;
#define NARROWGATE_ENCODE(kFormat)                                                    \
  if constexpr (IsElement(kFormat)) {                                                 \
    if (&element == &kFormat) return EncodeRunsOf<kFormat>(x, count, length, scales, codes); \
  }
  NARROWGATE_FOR_EACH_FORMAT(NARROWGATE_ENCODE)
#undef NARROWGATE_ENCODE
}

void EncodeColumns(const formats::Format& element, const float* x, std::size_t count, const float* scales,
                   std::uint8_t* codes) {
  using namespace formats;
#define NARROWGATE_ENCODE(kFormat)                                                    \
  if constexpr (IsElement(kFormat)) {                                                 \
    if (&element == &kFormat) return EncodeColumnsOf<kFormat>(x, count, scales, codes); \
  }
  NARROWGATE_FOR_EACH_FORMAT(NARROWGATE_ENCODE)
#undef NARROWGATE_ENCODE
}

}  // namespace narrowgate::quantize::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace narrowgate::quantize {

HWY_EXPORT(UpdateRunMaxima);
HWY_EXPORT(UpdateColumnMaxima);
HWY_EXPORT(EncodeRuns);
HWY_EXPORT(EncodeColumns);

void update_run_maxima(const float* x, std::size_t count, std::size_t length, float* maxima) {
  HWY_DYNAMIC_DISPATCH(UpdateRunMaxima)(x, count, length, maxima);
}
void update_column_maxima(const float* x, std::size_t count, float* maxima) {
  HWY_DYNAMIC_DISPATCH(UpdateColumnMaxima)(x, count, maxima);
}
void encode_runs(const formats::Format& element, const float* x, std::size_t count, std::size_t length,
                 const float* scales, std::uint8_t* codes) {
  HWY_DYNAMIC_DISPATCH(EncodeRuns)(element, x, count, length, scales, codes);
}
void encode_columns(const formats::Format& element, const float* x, std::size_t count, const float* scales,
                    std::uint8_t* codes) {
  HWY_DYNAMIC_DISPATCH(EncodeColumns)(element, x, count, scales, codes);
}

}  // namespace narrowgate::quantize
#endif
