#include "suites/selftest/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <tuple>

#include "baselines/error_state.h"
#include "kernels/reference/quantize_oracle.h"

namespace narrowgate::selftest {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr Layout kLayout{.ld_padding = 7, .offset = 3};  // dense operands would hide half of the memory bugs

// A case as it should be: what every mutant of it is compared with.
struct Reference {
  Case of;
  Inputs inputs;
  PreparedCase prepared;
  std::map<const Kernel*, Judgement> correct;
};

class References {
 public:
  Reference& of(const Scheme& scheme, Shape shape, Distribution distribution) {
    const auto key = std::tuple(&scheme, shape.m, shape.n, shape.k, distribution);
    const auto found = cases_.find(key);
    if (found != cases_.end()) return found->second;
    Reference reference;
    reference.of = {&scheme, shape, distribution, kSeed};
    reference.inputs = make_inputs(shape, distribution, kSeed);
    reference.prepared = prepare_case(reference.of, reference.inputs);
    return cases_.emplace(key, std::move(reference)).first->second;
  }

 private:
  std::map<std::tuple<const Scheme*, std::int64_t, std::int64_t, std::int64_t, Distribution>, Reference> cases_;
};

Judgement& judged_correct(Reference& reference, const Kernel& kernel) {
  const auto found = reference.correct.find(&kernel);
  if (found != reference.correct.end()) return found->second;
  const Cell cell{.of = reference.of, .kernel = &kernel, .layout = kLayout};
  Judgement judgement = judge(cell, reference.prepared, nullptr);
  // A second run against the line that the first one would store.
  if (const auto line = answer_of(judgement.row)) judgement = judge(cell, reference.prepared, &*line);
  return reference.correct.emplace(&kernel, std::move(judgement)).first->second;
}

// The mutant's run of one case, with what it was prepared from.
struct Trial {
  Judgement judgement;
  bool changed_codes = false;
  bool applied = true;
};

// The scheme as a wrong quantizer would implement it: everything but the replay follows the wrong codes.
Scheme with_wrong_quantizer(const Scheme& scheme, const OperandsChange& change, bool& applied) {
  Scheme wrong = scheme;
  wrong.quantization.fast = [right = scheme.quantization.fast, &change, &applied](const SchemeInputs& inputs) {
    OrRefusal<Operands> operands = right(inputs);
    if (operands) applied = change(*operands, inputs);
    return operands;
  };
  return wrong;
}

bool differs(const Operands& a, const Operands& b) {
  return !reference::first_difference(a.a, b.a).empty() || !reference::first_difference(a.b, b.b).empty();
}

Trial try_quantizer(const Mutant& mutant, const Reference& reference, const Kernel& kernel, const AccuracyLine* line) {
  Trial trial;
  const Scheme wrong = with_wrong_quantizer(*reference.of.scheme, mutant.change_operands, trial.applied);
  Case of = reference.of;
  of.scheme = &wrong;
  const PreparedCase prepared = prepare_case(of, reference.inputs);
  if (prepared.refusal || !trial.applied) {
    trial.applied = false;
    return trial;
  }
  trial.changed_codes = differs(prepared.operands, reference.prepared.operands);
  trial.judgement = judge({.of = of, .kernel = &kernel, .layout = kLayout}, prepared, line);
  return trial;
}

Trial try_run(const Mutant& mutant, const Reference& reference, const Kernel& kernel, const AccuracyLine* line) {
  Trial trial;
  const SchemeInputs inputs{reference.inputs.a.view(), reference.inputs.b.view(), {}};
  Plant plant{.name = mutant.name, .what = mutant.what, .apply = [](Operands&) { return true; },
              .spoil = [](Matrix<float>&) { return true; }};
  if (mutant.change_operands) {
    plant.apply = [&](Operands& operands) { return trial.applied = mutant.change_operands(operands, inputs); };
  }
  if (mutant.change_output) plant.spoil = mutant.change_output;
  trial.judgement = judge({.of = reference.of, .kernel = &kernel, .layout = kLayout}, reference.prepared, line, &plant);
  return trial;
}

bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return std::ranges::equal(a.flat(), b.flat(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

bool makes_a_difference(const Trial& trial, const Judgement& correct) {
  if (!trial.applied) return false;
  const Judgement& judgement = trial.judgement;
  if (judgement.row.state != Row::State::measured) return judgement.row.state == Row::State::crashed;
  return trial.changed_codes || judgement.row.digest != correct.row.digest || !judgement.observation.damage.empty() ||
         !same_bits(judgement.observation.output, judgement.observation.second_output);
}

// Mutated kernel (null: the correct one) beside the correct kernel of the same backend.
void try_case(SchemeOutcome& outcome, const Mutant& mutant, Reference& reference, const Kernel* mutated, Backend backend) {
  ++outcome.cases;
  if (reference.prepared.refusal) return;
  const Kernel& right = correct_kernel(*reference.of.scheme, backend);
  const Judgement& correct = judged_correct(reference, right);
  const auto line = answer_of(correct.row);
  const AccuracyLine* stored = line ? &*line : nullptr;
  const Kernel& kernel = mutated != nullptr ? *mutated : right;
  const Trial trial = mutant.kind == MutantKind::quantizer ? try_quantizer(mutant, reference, kernel, stored)
                                                           : try_run(mutant, reference, kernel, stored);
  if (!makes_a_difference(trial, correct)) return;
  ++outcome.counted;
  outcome.killed_by |= trial.judgement.failed & ~correct.failed;
}

std::vector<const Kernel*> kernels_for(const Mutant& mutant, const Scheme& scheme) {
  std::vector<const Kernel*> kernels;
  for (const Kernel* kernel : mutant.kernels) {
    if (kernel->computes(scheme)) kernels.push_back(kernel);
  }
  if (kernels.empty()) throw std::logic_error(fmt::format("no kernel of mutant {} computes {}", mutant.name, scheme.id));
  return kernels;
}

SchemeOutcome try_scheme(const Mutant& mutant, const Scheme& scheme, References& references) {
  SchemeOutcome outcome{.scheme = std::string(scheme.id)};
  Backend backend = Backend::kCpu;
  for (const Distribution distribution : mutant.distributions) {
    Reference& reference = references.of(scheme, mutant.shape, distribution);
    if (mutant.kind == MutantKind::kernel) {
      for (const Kernel* kernel : kernels_for(mutant, scheme)) try_case(outcome, mutant, reference, kernel, kernel->backend);
      continue;
    }
    // The correct kernels take turns, so that both backends meet every such mutant.
    try_case(outcome, mutant, reference, nullptr, backend);
    backend = backend == Backend::kCpu ? Backend::kSimt : Backend::kCpu;
  }
  return outcome;
}

}  // namespace

const Kernel& correct_kernel(const Scheme& scheme, Backend backend) {
  for (const Kernel* kernel : all_kernels()) {
    const bool is_fast = kernel->name == "cpu.simd" || kernel->name == "simt.tiled";
    if (is_fast && kernel->backend == backend && kernel->computes(scheme)) return *kernel;
  }
  return replay_kernel(scheme);
}

std::vector<MutantOutcome> try_mutants(const std::vector<const Mutant*>& mutants,
                                       const std::function<void(std::size_t done)>& progress) {
  References references;
  std::vector<MutantOutcome> outcomes;
  for (const Mutant* mutant : mutants) {
    MutantOutcome outcome{.mutant = mutant, .schemes = {}};
    for (const std::string_view id : mutant->schemes) {
      const Scheme* scheme = find_scheme(id);
      if (scheme == nullptr) throw std::logic_error(fmt::format("mutant {} names no scheme: {}", mutant->name, id));
      outcome.schemes.push_back(try_scheme(*mutant, *scheme, references));
    }
    outcomes.push_back(std::move(outcome));
    if (progress) progress(outcomes.size());
  }
  return outcomes;
}

}  // namespace narrowgate::selftest
