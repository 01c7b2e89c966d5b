#include "suites/selftest/random_cases.h"

#include <fmt/format.h>

#include "baselines/error_state.h"
#include "kernels/random/philox.h"

namespace narrowgate::selftest {
namespace {

constexpr std::uint32_t kDrawTensor = 1001;  // the tensor id of the stream that draws cases

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_{.seed = seed, .tensor = kDrawTensor} {}
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(philox_word(stream_, next_++)) % count; }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  template <class List>
  auto one_of(const List& list) { return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))]; }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

std::vector<const Kernel*> host_kernels(const Scheme& scheme) {
  std::vector<const Kernel*> kernels;
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->backend != Backend::kCuda && kernel->computes(scheme)) kernels.push_back(kernel);
  }
  return kernels;
}

Cell random_cell(std::uint64_t seed) {
  Draw draw(seed);
  const auto schemes = all_schemes();
  const Scheme& scheme = *schemes[seed % schemes.size()];
  Cell cell;
  // A few deep ones, where more than one group, lane and rounding of int32 takes part.
  const std::int64_t k = draw.below(8) == 0 ? draw.between(257, 1024) : draw.between(1, 256);
  cell.of = {&scheme, {draw.between(1, 24), draw.between(1, 24), k}, draw.one_of(all_distributions()), seed};
  cell.kernel = draw.one_of(host_kernels(scheme));
  cell.layout = {.ld_padding = draw.between(0, 9), .offset = draw.between(0, 5)};
  return cell;
}

void judge_cell(FalseAlarms& found, const Cell& cell) {
  const PreparedCase prepared = prepare_case(cell.of, make_inputs(cell.of.shape, cell.of.distribution, cell.of.seed));
  if (prepared.refusal || cell.kernel->unsupported(*cell.of.scheme, cell.of.shape)) {
    ++found.refused;
    return;
  }
  const Cell oracle{.of = cell.of, .kernel = &replay_kernel(*cell.of.scheme), .layout = {}};
  const auto line = answer_of(run_cell(oracle, prepared, {}));
  const Judgement judgement = judge(cell, prepared, line ? &*line : nullptr);
  ++found.cases;
  for (std::size_t gate = 0; gate < kGateCount; ++gate) {
    if (!judgement.failed[gate]) continue;
    ++found.failed[gate];
    if (gate_columns()[gate].decides) found.failures.push_back(fmt::format("{}: {}", gate_columns()[gate].name, cell.id()));
  }
}

}  // namespace

FalseAlarms count_false_alarms(std::int64_t cases, std::uint64_t first_seed) {
  FalseAlarms found;
  const std::int64_t enough = 10 * cases;  // draws: refusals are rare
  for (std::uint64_t seed = first_seed; found.cases < cases && found.refused < enough; ++seed) judge_cell(found, random_cell(seed));
  return found;
}

}  // namespace narrowgate::selftest
