// The vector code gives the bits of the scalar code: on 2²² floats over all exponents, around every decision of
// each format, for every code, at every length, and on every SIMD target that this machine can run.
#include "kernels/formats/span_codec.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/float_sample.h"

namespace narrowgate::formats {
namespace {

// Runs `body` once for each SIMD target, then restores the choice.
template <class Body>
void for_each_simd_target(const Body& body) {
  const auto targets = hwy::SupportedTargets();
  for (auto rest = targets; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// A format without NaN leaves the codes of NaN open, so those inputs become 1.
std::vector<float> accepted(std::vector<float> sample, const Format& format) {
  if (format.is_floating() && format.has_nan()) return sample;
  for (float& x : sample) x = std::isnan(x) ? 1.0f : x;
  return sample;
}

template <class Code>
void expect_scalar_bits(const Format& format, const std::vector<float>& sample, Overflow overflow) {
  std::vector<Code> codes(sample.size());
  ASSERT_EQ(encode_span(format, sample, codes, overflow), std::nullopt);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    ASSERT_EQ(codes[i], *encode(format, sample[i], Rounding::nearest_even, overflow))
        << format.name << " of " << sample[i] << ", bits " << std::hex << std::bit_cast<std::uint32_t>(sample[i]);
  }
}

void expect_scalar_bits_of_any_width(const Format& format, const std::vector<float>& sample) {
  for (const Overflow overflow : {Overflow::saturate, Overflow::no_saturate}) {
    expect_scalar_bits<std::uint16_t>(format, sample, overflow);
    if (format.bits <= 8) expect_scalar_bits<std::uint8_t>(format, sample, overflow);
  }
}

// All of the sample, or under emulation, where it takes longer than a test may, every n-th of it. An odd n meets all
// exponents, at other mantissas each.
std::size_t sample_stride() {
  const char* stride = std::getenv("NARROWGATE_SAMPLE_STRIDE");
  return stride == nullptr ? 1 : std::strtoul(stride, nullptr, 10);
}

TEST(EncodeSpan, EqualsScalarOnAStratifiedSample) {
  const std::vector<float> whole = stratified_floats();
  ASSERT_EQ(whole.size(), std::size_t{1} << 22);
  const std::size_t stride = sample_stride();
  ASSERT_GE(stride, 1u) << "NARROWGATE_SAMPLE_STRIDE is no positive number";
  std::vector<float> sample;
  for (std::size_t i = 0; i < whole.size(); i += stride) sample.push_back(whole[i]);
  for_each_simd_target([&] {
    for (const Format* format : kAllFormats) expect_scalar_bits_of_any_width(*format, accepted(sample, *format));
  });
}

TEST(EncodeSpan, EqualsScalarAroundEveryDecision) {
  for_each_simd_target([&] {
    for (const Format* format : kAllFormats) {
      expect_scalar_bits_of_any_width(*format, accepted(neighbourhoods(*format), *format));
    }
  });
}

template <class Code>
void expect_all_codes_decode(const Format& format) {
  std::vector<Code> codes(std::size_t{1} << (8 * sizeof(Code)));
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<Code>(i);
  std::vector<float> values(codes.size());
  decode_span(format, codes, values);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const float expected = decode(format, codes[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << format.name << ' ' << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected)) << format.name << ' ' << i;
    }
  }
}

TEST(DecodeSpan, EqualsScalarOnEveryCode) {
  for_each_simd_target([&] {
    for (const Format* format : kAllFormats) {
      if (format->bits <= 8) expect_all_codes_decode<std::uint8_t>(*format);
      expect_all_codes_decode<std::uint16_t>(*format);
    }
  });
}

TEST(DecodeSpan, StreamsLargeArraysWithoutChangingThem) {
  std::vector<std::uint8_t> codes((std::size_t{1} << 24) + 5);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 37 % 126);
  std::vector<float> memory(codes.size() + 16);
  void* place = memory.data();
  std::size_t space = memory.size() * sizeof(float);
  auto* aligned = static_cast<float*>(std::align(64, codes.size() * sizeof(float), place, space));
  ASSERT_NE(aligned, nullptr);
  decode_span(kE4m3, codes, {aligned, codes.size()});
  for (std::size_t i = 0; i < codes.size(); i += 997) ASSERT_EQ(aligned[i], decode(kE4m3, codes[i]));
  for (std::size_t i = codes.size() - 6; i < codes.size(); ++i) ASSERT_EQ(aligned[i], decode(kE4m3, codes[i]));
}

TEST(EncodeSpan, EveryLengthTouchesItsOwnCodesOnly) {
  std::vector<float> x(200);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.37f - 30.0f;
  for (std::size_t length = 0; length < 140; ++length) {
    std::vector<std::uint8_t> codes(x.size(), 0xA5);
    encode_span(kE4m3, std::span(x).first(length), std::span(codes).first(length));
    for (std::size_t i = 0; i < codes.size(); ++i) ASSERT_EQ(codes[i], i < length ? *encode(kE4m3, x[i]) : 0xA5u);
  }
}

TEST(EncodeSpan, NamesTheFirstNanAFormatCannotHold) {
  std::vector<float> x(300000, 1.0f);
  std::vector<std::uint8_t> codes(x.size());
  x[270001] = x[131073] = std::nanf("");
  EXPECT_EQ(encode_span(kE2m1, x, codes), 131073u);
  EXPECT_EQ(encode_span(kInt8, x, codes), 131073u);
  EXPECT_EQ(encode_span(kE4m3, x, codes), std::nullopt);
  EXPECT_EQ(codes[131073], 0x7F);
  x[299999] = x[131073];
  x[131073] = x[270001] = 1.0f;
  EXPECT_EQ(encode_span(kE2m1, x, codes), 299999u);  // in the scalar tail
}

}  // namespace
}  // namespace narrowgate::formats
