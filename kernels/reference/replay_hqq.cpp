// HQQ: each group's fractional zero point, improved by the steps that weight_quantizers.h writes down.
#include <span>
#include <utility>

#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_parts.h"

namespace narrowgate::reference {
namespace {

// A group's weights and what they are at present taken for.
struct Group {
  std::span<const float> weights;
  float scale;
  int top;
  float zero_point;
  std::vector<double> codes;

  // w − ŵ, where ŵ is rounded to FP32 after each of its two operations.
  double error(std::size_t i) const {
    const float offset = static_cast<float>(codes[i]) - zero_point;
    const float reconstructed = offset * scale;
    return static_cast<double>(weights[i]) - static_cast<double>(reconstructed);
  }
  double objective() const {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += std::sqrt(std::fabs(error(i)));
    return sum;
  }
};

// sign(x)·max(|x| − 1/(β·√|x|), 0)
double shrunk(double x, double beta) {
  if (x == 0) return 0;
  const double rest = std::fabs(x) - 1 / (beta * std::sqrt(std::fabs(x)));
  return rest > 0 ? std::copysign(rest, x) : 0;
}

// z = mean(q − (w − e)/s) of a group, saturated to FP16's numbers.
float improved_zero_point(const Group& group, double beta) {
  double sum = 0;
  for (std::size_t i = 0; i < group.weights.size(); ++i) {
    sum += group.codes[i] - (group.weights[i] - shrunk(group.error(i), beta)) / group.scale;
  }
  const double mean = sum / static_cast<double>(group.weights.size());
  return formats::decode(formats::kFp16, *formats::encode(formats::kFp16, mean));
}

Group next_iterate(Group group, double beta) {
  group.zero_point = improved_zero_point(group, beta);
  for (std::size_t i = 0; i < group.weights.size(); ++i) {
    const double position = static_cast<double>(group.weights[i]) / static_cast<double>(group.scale);
    group.codes[i] = clamped(nearest_even(position + static_cast<double>(group.zero_point)), 0, group.top);
  }
  return group;
}

// The first of the start and twenty iterates with the least objective.
Group best_iterate(const Group& start) {
  Group best = start;
  Group iterate = start;
  double least = start.objective();
  double beta = 10;
  for (int step = 0; step < 20; ++step) {
    iterate = next_iterate(std::move(iterate), beta);
    beta *= 1.01;
    const double objective = iterate.objective();
    if (objective < least) {
      least = objective;
      best = iterate;
    }
  }
  return best;
}

}  // namespace

QuantizedMatrix replay_hqq(View<const float> b, const formats::Format& element, std::int64_t group) {
  QuantizedMatrix q = replay_asymmetric_integer(b, element, {group, 1}, quantize::ScaleStorage::fp16);
  const std::vector<std::int32_t> zero_points = std::exchange(q.zero_points, {});
  q.fractional_zero_points.resize(zero_points.size());
  for_each_block(b, q.granularity, [&](std::size_t block, const std::vector<float>& weights) {
    const auto col = static_cast<std::int64_t>(block) % b.cols;
    const std::int64_t first = static_cast<std::int64_t>(block) / b.cols * group;
    const auto code = [&](std::size_t i) -> std::int8_t& { return q.codes(first + static_cast<std::int64_t>(i), col); };
    Group start{weights, q.scales[block], element.maximum, static_cast<float>(zero_points[block]), {}};
    for (std::size_t i = 0; i < weights.size(); ++i) start.codes.push_back(code(i));
    const Group best = best_iterate(start);
    q.fractional_zero_points[block] = best.zero_point;
    for (std::size_t i = 0; i < weights.size(); ++i) code(i) = static_cast<std::int8_t>(best.codes[i]);
  });
  return q;
}

}  // namespace narrowgate::reference
