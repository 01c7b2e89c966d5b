#include "kernels/quantize/block_kernels.h"

#include <algorithm>
#include <bit>

#include <hwy/cache_control.h>

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
// Lane-wise maxima of `count` elements, a multiple of the lanes.
HWY_INLINE fm::WordVector LaneMaxima(const float* HWY_RESTRICT x, std::size_t count) {
  const std::size_t lanes = hn::Lanes(kFloats);
  auto maxima = hn::Zero(kWords);
  for (std::size_t i = 0; i < count; i += lanes) maxima = fm::Larger(maxima, Magnitude(x + i));
  return maxima;
}

std::uint32_t RunMaximum(const float* HWY_RESTRICT x, std::size_t count) {
  const std::size_t whole = count / hn::Lanes(kFloats) * hn::Lanes(kFloats);
  std::uint32_t maximum = hn::GetLane(hn::MaxOfLanes(kWords, LaneMaxima(x, whole)));
  for (std::size_t i = whole; i < count; ++i) maximum = std::max(maximum, std::bit_cast<std::uint32_t>(x[i]) & kMagnitudeMask);
  return maximum;
}

// Maximum over the 16-byte blocks of a register.
template <class Tag>
HWY_INLINE hn::Vec<hn::FixedTag<std::uint32_t, 4>> MaximumOfBlocks(Tag, hn::Vec<Tag> v) {
  if constexpr (hn::MaxLanes(Tag{}) == 4) {
    return v;
  } else {
    const hn::Half<Tag> half;
    return MaximumOfBlocks(half, hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// Maxima of four runs at once: each step folds two registers into one, so no register is reduced alone.
HWY_INLINE void UpdateFourRunMaxima(const float* x, std::size_t length, float* maxima) {
  const auto fold = [](fm::WordVector a, fm::WordVector b) HWY_ATTR {
    return fm::Larger(hn::InterleaveLower(kWords, a, b), hn::InterleaveUpper(kWords, a, b));
  };
  const auto even = fold(LaneMaxima(x, length), LaneMaxima(x + 2 * length, length));
  const auto odd = fold(LaneMaxima(x + length, length), LaneMaxima(x + 3 * length, length));
  const auto four = MaximumOfBlocks(kWords, fold(even, odd));
  constexpr hn::FixedTag<float, 4> kFour{};
  constexpr hn::FixedTag<std::uint32_t, 4> kFourWords{};
  const auto so_far = hn::BitCast(kFourWords, hn::LoadU(kFour, maxima));
  hn::StoreU(hn::BitCast(kFour, hn::Max(four, so_far)), kFour, maxima);
}

void UpdateRunMaxima(const float* x, std::size_t count, std::size_t length, float* maxima) {
  std::size_t first = 0;
  if (length % hn::Lanes(kFloats) == 0) {
    for (; first + 4 * length <= count; first += 4 * length, maxima += 4) UpdateFourRunMaxima(x + first, length, maxima);
  }
  for (; first < count; first += length, ++maxima) {
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
    fm::EncodeFour<kFormat>(scaled(i), scaled(i + lanes), scaled(i + 2 * lanes), scaled(i + 3 * lanes), codes + i);
  }
  for (; i + lanes <= count; i += lanes) {
    constexpr hn::Rebind<std::uint8_t, fm::IntegerTag> kBytes{};
    const auto code = hn::BitCast(fm::kIntegers, fm::EncodeVector<kFormat, kSaturate>(scaled(i), nan_seen));
    hn::StoreU(hn::DemoteTo(kBytes, code), kBytes, codes + i);
  }
  for (; i < count; ++i) codes[i] = static_cast<std::uint8_t>(*formats::encode(kFormat, scaled_one(i)));
}

// For these, 1/scale is a normal number and x·(1/scale) the same real number as x/scale, so it rounds alike.
HWY_INLINE bool IsInvertible(float scale) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(scale);
  return (bits & 0x7FFFFF) == 0 && bits - 0x800000 < 0x7E000000;  // 2⁻¹²⁶ … 2¹²⁵
}

HWY_INLINE float Inverse(float power_of_two) {  // the exponent negated
  return std::bit_cast<float>(0x7F000000 - std::bit_cast<std::uint32_t>(power_of_two));
}

template <const formats::Format& kFormat>
void EncodeRun(const float* HWY_RESTRICT x, std::size_t count, float scale, std::uint8_t* HWY_RESTRICT codes) {
  if (IsInvertible(scale)) {
    const float factor = Inverse(scale);
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

// The next segment of a matrix usually lies `count` elements on; fetching it while this one is computed hides most of
// the memory's time, since the pass that finds the maxima then reads from the cache.
HWY_INLINE void PrefetchFour(const float* x) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t i = 0; i < 4 * hn::Lanes(kFloats); i += kLine) hwy::Prefetch(x + i);
}

// Four registers at a time that lie in kRuns runs, equal parts of four or less. Nothing but this common case, so that
// constants stay in registers.
template <const formats::Format& kFormat, std::size_t kRuns>
void EncodeWholeRuns(const float* HWY_RESTRICT x, std::size_t count, std::size_t fours_per_run,
                     const float* HWY_RESTRICT scales, std::uint8_t* HWY_RESTRICT codes) {
  const std::size_t lanes = hn::Lanes(kFloats);
  std::size_t i = 0;
  const auto encode_run = [&](const float* run_scales, const auto& scaled) HWY_ATTR {
    for (std::size_t four = 0; four < fours_per_run; ++four, i += 4 * lanes) {
      PrefetchFour(x + count + i);
      const auto part = [&](std::size_t j) HWY_ATTR {
        return scaled(hn::LoadU(kFloats, x + i + j * lanes), hn::Set(kFloats, run_scales[j * kRuns / 4]));
      };
      fm::EncodeFour<kFormat>(part(0), part(1), part(2), part(3), codes + i);
    }
  };
  for (; i < count; scales += kRuns) {
    float factors[kRuns];
    bool are_invertible = true;
    for (std::size_t run = 0; run < kRuns; ++run) {
      are_invertible &= IsInvertible(scales[run]);
      factors[run] = Inverse(scales[run]);
    }
    if (are_invertible) {
      encode_run(factors, [](auto v, auto factor) HWY_ATTR { return hn::Mul(v, factor); });
    } else {
      encode_run(scales, [](auto v, auto scale) HWY_ATTR { return hn::Div(v, scale); });
    }
  }
}

template <const formats::Format& kFormat>
void EncodeRunsOf(const float* x, std::size_t count, std::size_t length, const float* scales, std::uint8_t* codes) {
  const std::size_t four = 4 * hn::Lanes(kFloats);
  if (count % length == 0 && count % four == 0) {
    if (length % four == 0) return EncodeWholeRuns<kFormat, 1>(x, count, length / four, scales, codes);
    if (length == four / 2) return EncodeWholeRuns<kFormat, 2>(x, count, 1, scales, codes);
    if (length == four / 4) return EncodeWholeRuns<kFormat, 4>(x, count, 1, scales, codes);
  }
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
