#include "suites/studies/clipping.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "kernels/formats/all_formats.h"
#include "kernels/parallel.h"
#include "kernels/quantize/group_integer.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr std::int64_t kRows = 256, kCols = 1024;
constexpr std::uint32_t kLaplaceTensor = kFirstStudyTensor;
// Ranges in quarters of σ.
constexpr int kFirstQuarter = 6, kLastQuarter = 36;

// The words of one element, one after another: element i owns blocks 64i … 64i + 63.
class Words {
 public:
  Words(const RandomStream& stream, std::uint64_t element) : stream_(stream), block_(element * 64) {}
  std::uint32_t next() {
    if (used_ == 4) {
      words_ = philox_block(stream_, block_++);
      used_ = 0;
    }
    return words_[used_++];
  }

 private:
  RandomStream stream_;
  std::uint64_t block_;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = 4;
};

Matrix<float> laplace_matrix() {
  Matrix<float> x(kRows, kCols);
  parallel_for(kRows, [&](std::int64_t row) {
    for (std::int64_t col = 0; col < kCols; ++col) {
      x(row, col) = laplace({.seed = kSeed, .tensor = kLaplaceTensor}, static_cast<std::uint64_t>(row * kCols + col));
    }
  });
  return x;
}

// Errors over the ranges, in units of σ², the least of them marked.
StudyRecord::Series curve(std::string name, const Matrix<float>& x, double sigma, const formats::Format& element) {
  StudyRecord::Series series{std::move(name), {}, 0};
  for (int quarter = kFirstQuarter; quarter <= kLastQuarter; ++quarter) {
    const auto range = static_cast<float>(sigma * quarter / 4);
    series.y.emplace_back(clipped_mean_square_error(x.view(), element, range) / (sigma * sigma));
    if (*series.y.back() < *series.y[static_cast<std::size_t>(*series.marked)]) {
      series.marked = quarter - kFirstQuarter;
    }
  }
  return series;
}

}  // namespace

float laplace(const RandomStream& stream, std::uint64_t index) {
  Words words(stream, index);
  const bool is_negative = (words.next() & 1) != 0;
  for (int rejected = 0;; ++rejected) {
    const std::uint32_t first = words.next() >> 8;
    std::uint32_t last = first;
    int length = 1;
    for (std::uint32_t next = words.next() >> 8; next < last; next = words.next() >> 8) {
      last = next;
      ++length;
    }
    if (length % 2 == 0) continue;
    const float magnitude = static_cast<float>(rejected) + static_cast<float>(first) * 0x1p-24f;
    return is_negative ? -magnitude : magnitude;
  }
}

double clipped_mean_square_error(View<const float> x, const formats::Format& element, float range) {
  const QuantizedMatrix clipped = accepted(quantize::symmetric_integer_with_ranges(
      x, element, Granularity::tensor(), quantize::ScaleStorage::fp32, {&range, 1}));
  const double error = rms_error(x, clipped);
  return error * error;
}

StudyRecord clipping(const StudyInputs&) {
  const Matrix<float> normal = make_input(Distribution::kNormal, Tensor::kA, kSeed, kRows, kCols);
  const Matrix<float> laplacian = laplace_matrix();
  StudyRecord study;
  study.id = "clipping";
  study.title = "Where should a symmetric range be clipped?";
  study.x = {"clipping range", "σ", StudyRecord::Scale::linear, {}, {}};
  for (int quarter = kFirstQuarter; quarter <= kLastQuarter; ++quarter) study.x.numbers.push_back(quarter / 4.0);
  study.y = {"mean square error", "σ²", StudyRecord::Scale::log};
  study.series = {curve("4 bits, normal", normal, 1.0, formats::kInt4),
                  curve("4 bits, Laplace", laplacian, std::sqrt(2.0), formats::kInt4),
                  curve("8 bits, normal", normal, 1.0, formats::kInt8),
                  curve("8 bits, Laplace", laplacian, std::sqrt(2.0), formats::kInt8)};
  const auto optimum = [&](std::size_t i) {
    return study.x.numbers[static_cast<std::size_t>(*study.series[i].marked)];
  };
  study.finding = fmt::format(
      "The error is least at {:g}σ (normal) and {:g}σ (Laplace) with 4 bits, at {:g}σ and {:g}σ with 8: fewer bits "
      "clip more, heavier tails less.",
      optimum(0), optimum(1), optimum(2), optimum(3));
  study.notes = {fmt::format("{} samples each, steps of ¼σ. Normal: Irwin–Hall of 24, whose tails are a little "
                             "lighter. Laplace: von Neumann's comparisons of uniforms, without a logarithm.",
                             kRows * kCols),
                 "Right of the optimum rounding grows with the square of the range; left of it clipping takes over "
                 "at once.",
                 "Known optima for unit variance: 2.5σ and 3.5σ with 4 bits, 4.0σ and 6.9σ with 8."};
  study.source = "Banner et al. 2019, Post-training 4-bit quantization (ACIQ)";
  return study;
}

}  // namespace narrowgate::studies
