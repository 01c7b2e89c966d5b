// Encoding and decoding of whole arrays: vectors and threads, the bits of scalar.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/formats/scalar.h"
#include "kernels/random/philox.h"

namespace narrowgate::formats {

// Codes of `x`, rounded to nearest even, one code a byte (formats of up to 8 bits) or a half-word (up to 16).
// `codes` must have the size of `x`. Returns the position of the first NaN when the format has none; codes at such
// positions are unspecified, all others are valid.
std::optional<std::size_t> encode_span(const Format& format, std::span<const float> x, std::span<std::uint8_t> codes,
                                       Overflow overflow = Overflow::saturate);
std::optional<std::size_t> encode_span(const Format& format, std::span<const float> x, std::span<std::uint16_t> codes,
                                       Overflow overflow = Overflow::saturate);

// The same with stochastic rounding: element i uses word i of the stream, so the result depends on no thread count.
std::optional<std::size_t> encode_span_stochastic(const Format& format, std::span<const float> x,
                                                  std::span<std::uint8_t> codes, const RandomStream& stream,
                                                  Overflow overflow = Overflow::saturate);

void decode_span(const Format& format, std::span<const std::uint8_t> codes, std::span<float> x);
void decode_span(const Format& format, std::span<const std::uint16_t> codes, std::span<float> x);

}  // namespace narrowgate::formats
