// Error against storage: smaller groups cost more scales and zero points.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/block_scaling.h"
#include "kernels/quantize/group_integer.h"
#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

constexpr std::int64_t kDepth = 1024, kCols = 256;
constexpr std::int64_t kGroups[] = {16, 32, 64, 128, 256, kDepth};

enum class ZeroPoints { kNone, kOnePerGroup };

struct Point {
  double bits, error;
};

Point point_of(const Matrix<float>& x, std::int64_t group, ZeroPoints zero_points) {
  const auto storage = quantize::ScaleStorage::fp16;
  const Granularity granularity{group, 1};
  const QuantizedMatrix q = accepted(
      zero_points == ZeroPoints::kNone ? quantize::symmetric_integer(x.view(), formats::kInt4, granularity, storage)
                                       : quantize::asymmetric_integer(x.view(), formats::kUint4, granularity, storage));
  return {quantize::bits_per_weight(q), rms_error(x.view(), q) / rms(x.view())};
}

std::string name_of(std::int64_t group, ZeroPoints zero_points) {
  const std::string name = group == kDepth ? "all of k" : fmt::format("group {}", group);
  return name + (zero_points == ZeroPoints::kNone ? "" : ", zero points");
}

}  // namespace

StudyRecord group_size(const StudyInputs&) {
  StudyRecord study;
  study.id = "group_size";
  study.title = "What does a bit of storage buy in INT4: smaller groups, or zero points?";
  study.x = {"storage", "bits per weight", StudyRecord::Scale::linear, {}, {}};
  study.y = {"rms error; rms of the weights = 1", "", StudyRecord::Scale::linear};
  std::map<double, std::string> places;
  std::vector<std::vector<Point>> curves;
  for (const Distribution distribution : {Distribution::kNormal, Distribution::kDay98}) {
    const Matrix<float> x = make_input(distribution, Tensor::kB, kSeed, kDepth, kCols);
    for (const ZeroPoints zero_points : {ZeroPoints::kNone, ZeroPoints::kOnePerGroup}) {
      curves.emplace_back();
      for (const std::int64_t group : kGroups) {
        curves.back().push_back(point_of(x, group, zero_points));
        places[curves.back().back().bits] = name_of(group, zero_points);
      }
      study.series.push_back({fmt::format("{}, {}", to_string(distribution),
                                          zero_points == ZeroPoints::kNone ? "symmetric" : "zero points"), {}, {}});
    }
  }
  for (const auto& [bits, name] : places) {
    study.x.numbers.push_back(bits);
    study.x.names.push_back(name);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    study.series[i].y.resize(places.size());
    for (const Point& point : curves[i]) {
      const auto place = std::lower_bound(study.x.numbers.begin(), study.x.numbers.end(), point.bits);
      study.series[i].y[static_cast<std::size_t>(place - study.x.numbers.begin())] = point.error;
    }
  }
  constexpr std::size_t kGroup32 = 1, kGroup128 = 3;
  const Point normal_128 = curves[0][kGroup128], normal_128_zp = curves[1][kGroup128], normal_32 = curves[0][kGroup32];
  study.finding = fmt::format(
      "At groups of 128 normal weights have an error of {:.3f} for {:.4g} bits. Zero points bring it to {:.3f} for "
      "{:.4g} bits, groups of 32 to {:.3f} for {:.4g}; on day98, with its outliers, those groups take {:.3f} to "
      "{:.3f}.",
      normal_128.error, normal_128.bits, normal_128_zp.error, normal_128_zp.bits, normal_32.error, normal_32.bits,
      curves[2][kGroup128].error, curves[2][kGroup32].error);
  study.notes = {fmt::format("Weights {}×{}, groups along k, FP16 scales, 4-bit zero points; round to nearest within "
                             "min–max.", kDepth, kCols)};
  study.source = "Frantar et al. 2022, GPTQ (grouping); Lin et al. 2023, AWQ";
  return study;
}

}  // namespace narrowgate::studies
