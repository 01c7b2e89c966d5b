// The smallest error of three kinds that each gate still catches, on right outputs of a few schemes.
//
//   scale  every element times 1 + x         x = 2⁻²⁴, 2⁻²³ … 16
//   bias   every element plus x of its bound x = 2⁻²⁰ … 2¹⁰
//   ulp    one element x floats up           x = 1, 2, 4 … 2²²
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/selftest/judge.h"

namespace narrowgate::selftest {

enum class ErrorKind { scale, bias, ulp };
inline constexpr std::array<std::string_view, 3> kErrorKindNames{"scale", "bias", "ulp"};

struct SmallestErrors {
  std::string scheme;
  // By kind and gate; nothing where none was caught, or where the gate fails the right output.
  std::array<std::array<std::optional<double>, kGateCount>, kErrorKindNames.size()> caught;
};

std::vector<SmallestErrors> find_smallest_errors();

}  // namespace narrowgate::selftest
