// bounds_fuzz [CASES [SCHEME]]: the largest fraction of the worst-case bound that random cases of each scheme use.
// Exit 1 when a bound is exceeded or too few cases could be judged.
#include <fmt/format.h>
#include <omp.h>

#include <charconv>
#include <cstring>

#include "kernels/fuzz/bounds_fuzz.h"

namespace narrowgate::fuzz {
namespace {

constexpr int kUsage = 2;

int run(std::int64_t cases, std::string_view only) {
  const auto schemes = all_schemes();
  std::vector<BoundsResult> results(schemes.size());
  omp_set_max_active_levels(1);  // one scheme a thread; its tiny products run alone
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (only.empty() || schemes[i]->id == only) results[i] = fuzz_bounds(*schemes[i], cases, 1);
  }
  bool good = true;
  std::int64_t judged = 0;
  fmt::print("{:<38} {:>8} {:>8} {:>9} {:>9}  {}\n", "scheme", "cases", "refused", "exceeded", "largest", "seed");
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (!only.empty() && schemes[i]->id != only) continue;
    const BoundsResult& result = results[i];
    fmt::print("{:<38} {:>8} {:>8} {:>9} {:>9.4f}  {}\n", schemes[i]->id, result.cases, result.refused, result.exceeded,
               result.largest_fraction, result.worst_seed);
    good = good && result.exceeded == 0 && result.cases == cases;
    judged += result.cases;
  }
  fmt::print("{} cases judged: {}\n", judged, good && judged > 0 ? "no bound was exceeded" : "NOT all within the bound, or too few");
  return good && judged > 0 ? 0 : 1;
}

}  // namespace
}  // namespace narrowgate::fuzz

int main(int count, char** arguments) {
  std::int64_t cases = 10'000;
  if (count > 1) {
    const char* end = arguments[1] + std::strlen(arguments[1]);
    if (std::from_chars(arguments[1], end, cases).ptr != end || cases < 1) {
      fmt::print(stderr, "bounds_fuzz: \"{}\" is not a number of cases; expected bounds_fuzz [CASES [SCHEME]]\n", arguments[1]);
      return narrowgate::fuzz::kUsage;
    }
  }
  const std::string_view only = count > 2 ? arguments[2] : "";
  if (!only.empty() && narrowgate::find_scheme(only) == nullptr) {
    fmt::print(stderr, "bounds_fuzz: there is no scheme \"{}\"\n", only);
    return narrowgate::fuzz::kUsage;
  }
  return narrowgate::fuzz::run(cases, only);
}
