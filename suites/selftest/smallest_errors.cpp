#include "suites/selftest/smallest_errors.h"

#include <cmath>
#include <limits>

#include "baselines/error_state.h"
#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {
namespace {

// One of each kind of arithmetic, FP32 itself first.
constexpr std::array<std::string_view, 6> kSchemes = {"fp32.chain",          "int8.column",          "w4a16.g128.rtn.chain",
                                                      "fp8.e4m3.token.chain", "mx.mxfp8_e4m3.rceil.chain", "mx.mxfp4.rceil.chain"};

struct Range {
  int lowest, highest;  // exponents of two
};
constexpr std::array<Range, kErrorKindNames.size()> kRanges = {{{-24, 4}, {-20, 10}, {0, 22}}};

float floats_up(float value, int count) {
  for (int i = 0; i < count; ++i) value = std::nextafter(value, std::numeric_limits<float>::infinity());
  return value;
}

void spoil(Matrix<float>& output, ErrorKind kind, double x, const Matrix<double>& bound) {
  if (kind == ErrorKind::ulp) {
    float& element = output(output.rows() / 2, output.cols() / 2);
    element = floats_up(element, static_cast<int>(x));
    return;
  }
  for (std::int64_t i = 0; i < output.size(); ++i) {
    float& element = output.data()[i];
    element = static_cast<float>(kind == ErrorKind::scale ? element * (1.0 + x) : element + x * bound.data()[i]);
  }
}

SmallestErrors of_scheme(const Scheme& scheme) {
  SmallestErrors result{.scheme = std::string(scheme.id), .caught = {}};
  const Case of{&scheme, kMutantShape, Distribution::kNormal, 1};
  const PreparedCase prepared = prepare_case(of, make_inputs(of.shape, of.distribution, of.seed));
  const Cell cell{.of = of, .kernel = &replay_kernel(scheme), .layout = {}};
  const Judgement right = judge(cell, prepared, nullptr);
  const auto line = answer_of(right.row);
  for (std::size_t kind = 0; kind < kErrorKindNames.size(); ++kind) {
    for (int exponent = kRanges[kind].lowest; exponent <= kRanges[kind].highest; ++exponent) {
      const double x = std::ldexp(1.0, exponent);
      const Plant plant{.name = kErrorKindNames[kind], .what = "a known error", .apply = [](Operands&) { return true; },
                        .spoil = [&](Matrix<float>& output) {
                          spoil(output, static_cast<ErrorKind>(kind), x, prepared.expectation.bound);
                          return true;
                        }};
      const GateSet failed = judge(cell, prepared, line ? &*line : nullptr, &plant).failed & ~right.failed;
      for (std::size_t gate = 0; gate < kGateCount; ++gate) {
        auto& smallest = result.caught[kind][gate];
        if (failed[gate] && !smallest) smallest = x;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<SmallestErrors> find_smallest_errors() {
  std::vector<SmallestErrors> found;
  for (const std::string_view id : kSchemes) found.push_back(of_scheme(*find_scheme(id)));
  return found;
}

}  // namespace narrowgate::selftest
