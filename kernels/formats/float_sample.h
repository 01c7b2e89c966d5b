// FP32 inputs that meet every exponent and every decision a format takes. For tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/formats/scalar.h"
#include "kernels/random/philox.h"

namespace narrowgate::formats {

// 2²² bit patterns: each of the 512 sign–exponent pairs equally often, mantissas random but for the first few of
// each pair, which are the ends.
inline std::vector<float> stratified_floats() {
  constexpr std::uint32_t kPerExponent = 1u << 13;
  const RandomStream stream{.seed = 20, .tensor = 22};
  std::vector<float> sample;
  sample.reserve(512 * kPerExponent);
  for (std::uint32_t top = 0; top < 512; ++top) {
    for (std::uint32_t i = 0; i < kPerExponent; ++i) {
      const std::uint32_t ends[] = {0, 1, 0x400000, 0x3FFFFF, 0x400001, 0x7FFFFF, 0x7FFFFE, 0x600000};
      const std::uint32_t mantissa = i < 8 ? ends[i] : philox_word(stream, std::uint64_t{top} * kPerExponent + i) >> 9;
      sample.push_back(std::bit_cast<float>(top << 23 | mantissa));
    }
  }
  return sample;
}

// Each number of a format and each midpoint to the next, with the floats up to three steps away on either side.
inline std::vector<float> neighbourhoods(const Format& format) {
  std::vector<float> sample;
  for (std::uint32_t code = 0; code < format.code_count(); ++code) {
    const float value = decode(format, code);
    const float next = decode(format, code + 1);
    const double middle = (static_cast<double>(value) + next) / 2;
    for (const float center : {value, static_cast<float>(middle)}) {
      if (!std::isfinite(center)) continue;
      const auto bits = std::bit_cast<std::uint32_t>(center);
      for (std::uint32_t step = 0; step < 7; ++step) sample.push_back(std::bit_cast<float>(bits + step - 3));
    }
  }
  for (const float end : {464.0f, 61440.0f, 248.0f, 65520.0f, std::numeric_limits<float>::max()}) {
    for (const float x : {end, std::nextafter(end, 0.0f), std::nextafter(end, INFINITY)}) {
      sample.push_back(x);
      sample.push_back(-x);
    }
  }
  return sample;
}

}  // namespace narrowgate::formats
