// conformance_speed [X.npy]: seconds of encoding, decoding and whole quantization of one FP32 matrix, each beside a
// memcpy on the same threads that moves the same total of bytes read and written. speed.py runs ml_dtypes on the same
// array and prints the ratios. Without a file: 8192×8192.
//
// The parts are timed in turn, so that a busy machine slows all alike, and the best of several rounds is kept.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/formats/all_formats.h"
#include "kernels/formats/span_codec.h"
#include "kernels/quantize/nvfp4.h"
#include "kernels/random/philox.h"
#include "suites/io/npy.h"

namespace narrowgate::conformance {
namespace {

using quantize::BlockAxis;
using quantize::MxRule;

constexpr int kRounds = 9;

struct Item {
  std::string name;
  double bytes;  // read and written
  std::function<void()> run;
};

double seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Copies bytes/2, each thread its share.
void copy(const AlignedVector<char>& from, AlignedVector<char>& to, double bytes) {
#pragma omp parallel
  {
    const auto share = static_cast<std::size_t>(bytes / 2) / static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t first = share * static_cast<std::size_t>(omp_get_thread_num());
    std::memcpy(to.data() + first, from.data() + first, share);
  }
}

Matrix<float> made_up(std::int64_t rows, std::int64_t cols) {
  Matrix<float> x(rows, cols);
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < x.size() / 4; ++block) {
    const auto words = philox_block({.seed = 1}, static_cast<std::uint64_t>(block));
    for (std::int64_t i = 0; i < 4; ++i) x.data()[4 * block + i] = uniform_from_word(words[static_cast<std::size_t>(i)]) * 8.0f - 4.0f;
  }
  return x;
}

struct Buffers {
  View<const float> x;
  AlignedVector<std::uint8_t> codes;
  AlignedVector<float> scales;
  AlignedVector<float> decoded;
};

std::vector<Item> items(Buffers& buffers) {
  const auto elements = static_cast<double>(buffers.codes.size());
  const std::span<const float> x{buffers.x.data, buffers.codes.size()};
  std::vector<Item> list;
  for (const formats::Format* format : {&formats::kE4m3, &formats::kE5m2, &formats::kE2m1}) {
    list.push_back({fmt::format("encode {}", format->name), 5 * elements,
                    [&buffers, x, format] { formats::encode_span(*format, x, buffers.codes); }});
    list.push_back({fmt::format("decode {}", format->name), 5 * elements,
                    [&buffers, format] { formats::decode_span(*format, buffers.codes, buffers.decoded); }});
  }
  const auto add_mx = [&](const char* name, const formats::Format& element, MxRule rule) {
    list.push_back({name, (5 + 4.0 / 32) * elements, [&buffers, &element, rule] {
                      (void)quantize::quantize_blocks_into(buffers.x, {element, {1, 32}, quantize::mx_scale_rule(element, rule)},
                                                 buffers.codes.data(), buffers.scales);
                    }});
  };
  add_mx("mxfp8 floor", formats::kE4m3, MxRule::floor);
  add_mx("mxfp8 rceil", formats::kE4m3, MxRule::rceil);
  add_mx("mxfp4 floor", formats::kE2m1, MxRule::floor);
  add_mx("mxfp4 rceil", formats::kE2m1, MxRule::rceil);
  // The tensor scale must be known before the first code: the matrix is read twice.
  list.push_back({"nvfp4", (4 + 5 + 4.0 / 16) * elements, [&buffers] {
                    const float scale = quantize::nvfp4_tensor_scale(quantize::maximum_magnitude(buffers.x));
                    (void)quantize::quantize_blocks_into(buffers.x, {formats::kE2m1, {1, 16}, quantize::nvfp4_scale_rule(scale), scale},
                                               buffers.codes.data(), buffers.scales);
                  }});
  return list;
}

int run(const Matrix<float>& x) {
  const auto size = static_cast<std::size_t>(x.size());
  Buffers buffers{x.view(), AlignedVector<std::uint8_t>(size), AlignedVector<float>(size / 16 + 1), AlignedVector<float>(size)};
  const AlignedVector<char> from(size * 5, 1);
  AlignedVector<char> to(size * 5, 2);
  for (const Item& item : items(buffers)) {
    double best = std::numeric_limits<double>::infinity();
    double best_copy = best;
    for (int round = 0; round < kRounds; ++round) {
      best_copy = std::min(best_copy, seconds([&] { copy(from, to, item.bytes); }));
      best = std::min(best, seconds(item.run));
    }
    fmt::print("{{\"item\": \"{}\", \"elements\": {}, \"threads\": {}, \"seconds\": {:.6f}, \"memcpy_seconds\": {:.6f}, "
               "\"of_memcpy\": {:.3f}}}\n",
               item.name, size, omp_get_max_threads(), best, best_copy, best_copy / best);
  }
  return 0;
}

}  // namespace
}  // namespace narrowgate::conformance

int main(int count, char** arguments) {
  using namespace narrowgate;
  if (count < 2) return conformance::run(conformance::made_up(8192, 8192));
  const std::string path = arguments[1];
  const auto x = io::read_npy(path).and_then([&](const io::Tensor& tensor) { return io::to_matrix(tensor, path); });
  if (!x) {
    fmt::print(stderr, "{}\n", x.error().message);
    return 2;
  }
  return conformance::run(*x);
}
