#include "kernels/fuzz/bounds_fuzz.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/random/philox.h"
#include "kernels/reference/bounds.h"

namespace narrowgate::fuzz {
namespace {

// A stream of words of its own for each case.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : stream_{.seed = seed, .tensor = 7} {}
  std::uint32_t word() { return philox_word(stream_, next_++); }
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(word()) % count; }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  float symmetric() { return 2.0f * uniform_from_word(word()) - 1.0f; }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

enum class Kind { uniform, ties, powers, subnormal, heavy, sparse, constant, kCount };

float next_to(float x, Dice& dice) {
  const std::int64_t side = dice.below(3);
  return side == 0 ? x : std::nextafter(x, side == 1 ? 1e9f : -1e9f);
}

float element(Kind kind, Dice& dice) {
  switch (kind) {
    case Kind::uniform: return dice.symmetric();
    case Kind::ties: return next_to(static_cast<float>(dice.between(-255, 255)) * 0.5f, dice);
    case Kind::powers: return std::copysign(next_to(std::ldexp(1.0f, static_cast<int>(dice.between(-8, 4))), dice), dice.symmetric());
    case Kind::subnormal: return std::ldexp(dice.symmetric(), static_cast<int>(dice.between(-145, -100)));
    case Kind::heavy: return std::ldexp(dice.symmetric(), static_cast<int>(dice.between(-12, 8)));
    case Kind::sparse: return dice.below(4) == 0 ? dice.symmetric() : 0.0f;
    case Kind::constant: return 0.3f;
    case Kind::kCount: break;
  }
  return 0.0f;
}

Matrix<float> random_matrix(std::int64_t rows, std::int64_t cols, Kind kind, int exponent, Dice& dice) {
  Matrix<float> x(rows, cols);
  for (float& value : x.flat()) value = std::ldexp(element(kind, dice), exponent);
  return x;
}

Kind random_kind(Dice& dice) { return static_cast<Kind>(dice.below(static_cast<std::int64_t>(Kind::kCount))); }

// Mostly near one, where FP16 scales live; sometimes far below.
int random_exponent(Dice& dice) {
  return static_cast<int>(dice.below(4) == 0 ? dice.between(-140, -20) : dice.between(-12, 12));
}

Matrix<float> answer_of(const Scheme& scheme, const Operands& operands) {
  const auto memory = make_host_memory({});
  const Launch launch = replay_kernel(scheme).bind(operands, memory->output(operands.shape().m, operands.shape().n), *memory);
  launch();
  return memory->read_output();
}

// The largest fraction of the bound that the answer uses; infinite where it is not finite. Negative: refused.
double fraction_used(const Scheme& scheme, std::uint64_t seed) {
  constexpr double kRefused = -1.0;
  constexpr std::int64_t kSamples = 8;
  Dice dice(seed);
  const std::int64_t m = dice.between(1, 4), n = dice.between(1, 5);
  const std::int64_t k = dice.below(3) == 0 ? dice.between(100, 200) : dice.between(1, 40);
  const Kind kind_a = random_kind(dice);
  const int exponent_a = random_exponent(dice);
  const Matrix<float> a = random_matrix(m, k, kind_a, exponent_a, dice);
  const Matrix<float> calibration = random_matrix(kSamples, k, kind_a, exponent_a, dice);
  const Kind kind_b = random_kind(dice);
  const Matrix<float> b = random_matrix(k, n, kind_b, random_exponent(dice), dice);
  const Matrix<float> bias = random_matrix(1, n, Kind::uniform, random_exponent(dice), dice);
  if (scheme.refuses({m, n, k})) return kRefused;
  const auto operands = encode_operands(scheme, {a.view(), b.view(), calibration.view()}, bias.flat());
  if (!operands) return kRefused;
  const reference::Expectation expectation = reference::expect(a.view(), b.view(), *operands);
  const Matrix<double>& target = expectation.target.empty() ? expectation.exact : expectation.target;
  const Matrix<float> answer = answer_of(scheme, *operands);
  double largest = 0.0;
  for (std::int64_t i = 0; i < answer.size(); ++i) {
    const double reach = std::fabs(target.data()[i]) + expectation.bound.data()[i];
    if (operands->output == OutputFormat::kFp16 && !(reach <= 65504.0)) return kRefused;
    const double error = std::fabs(double{answer.data()[i]} - target.data()[i]);
    const double used = error == 0.0 ? 0.0 : error / expectation.bound.data()[i];
    largest = std::isfinite(answer.data()[i]) && !std::isnan(used) ? std::max(largest, used)
                                                                   : std::numeric_limits<double>::infinity();
  }
  return largest;
}

}  // namespace

BoundsResult fuzz_bounds(const Scheme& scheme, std::int64_t cases, std::uint64_t first_seed) {
  BoundsResult result;
  for (std::uint64_t seed = first_seed; result.cases < cases && result.refused < 10 * cases; ++seed) {
    const double used = fraction_used(scheme, seed);
    if (used < 0.0) {
      ++result.refused;
      continue;
    }
    ++result.cases;
    result.exceeded += !(used <= 1.0);
    if (used > result.largest_fraction) {
      result.largest_fraction = used;
      result.worst_seed = seed;
    }
  }
  return result;
}

}  // namespace narrowgate::fuzz
