// conformance_codes SAMPLE.npy OUT.npz: codes of a sample of floats, by this project and by CUDA's headers, by
// published formulas whose faults are known, and under policies that schemes here do not follow, with the names that
// conformance.py expects.
// conformance_codes FORMAT FIRST COUNT: codes, not saturating, of the floats with the bits FIRST, FIRST + 1, …, as
// 16-bit words to the standard output.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/scalar.h"
#include "kernels/formats/span_codec.h"
#include "kernels/quantize/alternative_policies.h"
#include "kernels/quantize/mx.h"
#include "suites/io/npy.h"
#ifdef NARROWGATE_HAS_CUDA_HEADERS
#include "scripts/conformance/cuda_headers.h"
#endif

namespace narrowgate::conformance {
namespace {

using formats::Format;
using formats::Overflow;
using formats::Rounding;
using io::ElementType;
using io::Tensor;

constexpr std::uint16_t kRefused = 0xFFFF;  // NaN into a format without one

template <class Encode>
Tensor encoded(std::string name, std::span<const float> sample, const Encode& encode) {
  std::vector<std::uint16_t> codes;
  codes.reserve(sample.size());
  for (const float x : sample) codes.push_back(static_cast<std::uint16_t>(encode(x)));
  return io::make_tensor(std::move(name), ElementType::u16, {static_cast<std::int64_t>(codes.size())}, codes.data());
}

template <class Decode>
Tensor decoded(std::string name, const Format& format, const Decode& decode) {
  std::vector<float> values;
  for (std::uint32_t code = 0; code < format.code_count(); ++code) values.push_back(decode(code));
  return io::make_tensor(std::move(name), ElementType::f32, {static_cast<std::int64_t>(values.size())}, values.data());
}

std::string overflow_name(Overflow overflow) { return overflow == Overflow::saturate ? "saturate" : "no_saturate"; }

void add_ours(std::vector<Tensor>& out, std::span<const float> sample) {
  for (const Format* format : formats::kAllFormats) {
    out.push_back(decoded(fmt::format("ours/{}/decode", format->name), *format,
                          [&](std::uint32_t code) { return formats::decode(*format, code); }));
    for (const Overflow overflow : {Overflow::saturate, Overflow::no_saturate}) {
      out.push_back(encoded(fmt::format("ours/{}/{}", format->name, overflow_name(overflow)), sample, [&](float x) {
        return formats::encode(*format, x, Rounding::nearest_even, overflow).value_or(kRefused);
      }));
    }
    out.push_back(encoded(fmt::format("ours/{}/toward_zero", format->name), sample, [&](float x) {
      return formats::encode(*format, x, Rounding::toward_zero).value_or(kRefused);
    }));
  }
}

// What others compute, by the formula they publish, for what is right by the record of the format.
void add_formulas(std::vector<Tensor>& out, std::span<const float> sample) {
  out.push_back(encoded("fp32_bf16_e8m0/e8m0/saturate", sample, [](float x) {
    const float once = formats::decode(formats::kBf16, *formats::encode(formats::kBf16, x));
    return *formats::encode(formats::kE8m0, once);
  }));
  // Codes of the power of two not above |x|, as floor(log2f(x)) finds it; E8M0 toward zero is the right answer.
  out.push_back(encoded("floor_log2f/e8m0/toward_zero", sample, [](float x) {
    if (!(x >= 0x1p-126f) || std::isinf(x)) return *formats::encode(formats::kE8m0, x, Rounding::toward_zero);
    return static_cast<std::uint32_t>(std::floor(std::log2(x)) + 127);
  }));
  // Round half away from zero on the element's grid: sign(x)·floor(|x|/step + ½)·step.
  out.push_back(encoded("half_away/e2m1/saturate", sample, [](float x) -> std::uint32_t {
    const auto nearest = formats::encode(formats::kE2m1, x);
    if (!nearest) return kRefused;
    const std::uint32_t magnitude = *formats::encode(formats::kE2m1, std::fabs(x), Rounding::toward_zero);
    if (magnitude == formats::kE2m1.maximum_code()) return *nearest;
    const double low = formats::decode(formats::kE2m1, magnitude);
    const double middle = (low + formats::decode(formats::kE2m1, magnitude + 1)) / 2;
    return (*nearest & formats::kE2m1.sign_bit()) | (std::fabs(x) >= middle ? magnitude + 1 : magnitude);
  }));
}

// Code of half the block's maximum, where 63.5 steps decide, by the given division.
template <class Divide>
std::uint32_t int8_code_of_half(float amax, const Divide& divide) {
  if (!std::isfinite(amax)) return kRefused;
  const float scale = std::max(divide(amax, 127.0f), std::numeric_limits<float>::min());
  return *formats::encode(formats::kInt8, divide(amax / 2.0f, scale));
}

float mx_scale(float amax) {
  return std::ldexp(1.0f, quantize::mx_exponent(amax, formats::kE5m2, quantize::MxRule::floor));
}

// The pinned policies beside the others. Each float of the sample is a block of its own.
void add_policies(std::vector<Tensor>& out, std::span<const float> sample) {
  using namespace quantize;
  out.push_back(encoded("ours/int8/half_of_amax", sample, [](float x) {
    return int8_code_of_half(std::fabs(x), [](float a, float b) { return a / b; });
  }));
  out.push_back(encoded("reciprocal/int8/half_of_amax", sample,
                        [](float x) { return int8_code_of_half(std::fabs(x), times_reciprocal); }));
  out.push_back(encoded("wrapping/int8/saturate", sample,
                        [](float x) { return wrapped_code(formats::kInt8, x).value_or(kRefused); }));
  for (const Format* format : {&formats::kE4m3, &formats::kE5m2}) {
    out.push_back(encoded(fmt::format("no_saturation/{}/saturate", format->name), sample, [&](float x) {
      return *formats::encode(*format, x, Rounding::nearest_even, Overflow::no_saturate);
    }));
  }
  out.push_back(encoded("ours/e8m0/mx_floor", sample, [](float x) {
    return std::isfinite(x) ? *formats::encode(formats::kE8m0, mx_scale(std::fabs(x))) : kRefused;
  }));
  out.push_back(encoded("one_for_zeros/e8m0/mx_floor", sample, [](float x) {
    return std::isfinite(x) ? *formats::encode(formats::kE8m0, one_for_zero_block(std::fabs(x), mx_scale)) : kRefused;
  }));
  out.push_back(encoded("nan_scale/e8m0/mx_floor", sample, [](float x) {
    return *formats::encode(formats::kE8m0, nan_for_non_finite_block(std::fabs(x), mx_scale));
  }));
  out.push_back(encoded("ours/e5m2/mx_floor", sample, [](float x) {
    return std::isfinite(x) ? *formats::encode(formats::kE5m2, x / mx_scale(std::fabs(x))) : kRefused;
  }));
  out.push_back(encoded("propagating/e5m2/mx_floor", sample, [](float x) {
    return *propagated_code(formats::kE5m2, x, mx_scale(largest_finite_magnitude({&x, 1})));
  }));
}

#ifdef NARROWGATE_HAS_CUDA_HEADERS
void add_cuda(std::vector<Tensor>& out, std::span<const float> sample) {
  for (const CudaConversion& conversion : cuda_conversions()) {
    const Format& format = conversion.format;
    out.push_back(encoded(fmt::format("cuda/{}/{}", format.name, overflow_name(conversion.overflow)), sample, conversion.encode));
    if (conversion.overflow == Overflow::no_saturate) continue;
    out.push_back(decoded(fmt::format("cuda/{}/decode", format.name), format, [&](std::uint32_t code) {
      return cuda_decode(format, static_cast<std::uint8_t>(code));
    }));
  }
  out.push_back(encoded("cuda/e8m0/toward_zero", sample, cuda_e8m0_toward_zero));
  out.push_back(decoded("cuda/e8m0/decode", formats::kE8m0,
                        [](std::uint32_t code) { return cuda_e8m0_decode(static_cast<std::uint8_t>(code)); }));
}
#endif

int write_codes_of_bits(std::string_view name, std::uint32_t first, std::size_t count) {
  const Format* format = formats::find_format(name);
  if (format == nullptr) {
    fmt::print(stderr, "conformance_codes: no format is named \"{}\"\n", name);
    return 2;
  }
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = std::bit_cast<float>(first + static_cast<std::uint32_t>(i));
  std::vector<std::uint16_t> codes(count);
  if (formats::encode_span(*format, x, codes, Overflow::no_saturate)) {
    for (std::size_t i = 0; i < count; ++i) codes[i] = std::isnan(x[i]) ? kRefused : codes[i];
  }
  return std::fwrite(codes.data(), sizeof(codes[0]), count, stdout) == count ? 0 : 2;
}

int write_codes_of_sample(const std::string& sample_path, const std::string& out_path) {
  const auto sample = io::read_npy(sample_path).and_then([&](const Tensor& t) { return io::to_matrix(t, sample_path); });
  if (!sample) {
    fmt::print(stderr, "{}\n", sample.error().message);
    return 2;
  }
  std::vector<Tensor> out;
  add_ours(out, sample->flat());
  add_formulas(out, sample->flat());
  add_policies(out, sample->flat());
#ifdef NARROWGATE_HAS_CUDA_HEADERS
  add_cuda(out, sample->flat());
#endif
  const auto written = io::write_npz(out_path, out);
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written ? 0 : 2;
}

}  // namespace
}  // namespace narrowgate::conformance

int main(int count, char** arguments) {
  using namespace narrowgate::conformance;
  if (count == 3) return write_codes_of_sample(arguments[1], arguments[2]);
  if (count == 4) {
    return write_codes_of_bits(arguments[1], static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 0)),
                               std::strtoul(arguments[3], nullptr, 0));
  }
  std::fputs("usage: conformance_codes SAMPLE.npy OUT.npz\n       conformance_codes FORMAT FIRST COUNT\n", stderr);
  return 2;
}
