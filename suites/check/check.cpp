#include "suites/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "baselines/nearest.h"
#include "suites/check/foreign_codes.h"
#include "suites/check/patterns.h"

namespace narrowgate::check {
namespace {

using Gate = GateResult::Gate;
using State = GateResult::State;

constexpr double kSigmaLimit = 6.0;
constexpr std::int64_t kSigmaRows = 64;
constexpr std::int64_t kLargestSigma = std::int64_t{1} << 22;  // elements of B whose variances are held in double
constexpr std::int64_t kLargestLook = std::int64_t{1} << 22;  // elements of B
constexpr double kVisible = 1e-5;  // of the output's own size: from here on a difference within the bound is looked into

OrError<const Scheme*> scheme_of(const std::string& id) {
  if (const Scheme* scheme = find_scheme(id)) return scheme;
  std::vector<std::string> ids;
  for (const Scheme* scheme : all_schemes()) ids.emplace_back(scheme->id);
  return tl::unexpected(Error{fmt::format("--scheme: there is no scheme \"{}\".{} `narrowgate list` prints all", id, did_you_mean(id, ids))});
}

// The scheme's operands of A and B; the refusal names the files.
OrError<Operands> own_operands(const CheckRequest& request, const Scheme& scheme, const Tensors& tensors) {
  if (const auto reason = scheme.refuses(tensors.shape())) {
    return tl::unexpected(Error{fmt::format("{}, {}: shape: {} has no answer here: {}", request.a, request.b, scheme.id, *reason)});
  }
  auto operands = encode_operands(scheme, tensors.inputs(), tensors.bias.flat());
  if (!operands) return tl::unexpected(Error{fmt::format("{}, {}: {} refuses them: {}", request.a, request.b, scheme.id, operands.error().reason)});
  return std::move(*operands);
}

OrError<std::optional<Operands>> given_operands(const CheckRequest& request, const Operands& own) {
  if (!request.a_codes.given() && !request.b_codes.given()) return std::optional<Operands>();
  std::optional<Operands> given = own;
  for (const auto& [files, operand] : {std::pair{&request.a_codes, &given->a}, std::pair{&request.b_codes, &given->b}}) {
    if (!files->given()) continue;
    auto read = read_codes(*files, *operand);
    if (!read) return tl::unexpected(read.error());
    *operand = std::move(*read);
  }
  return given;
}

GateResult judge_codes(const Subject& subject) {
  if (!subject.given) {
    GateResult result{.gate = Gate::quantization, .state = State::not_measured, .decides = false};
    result.detail = "no codes were given";
    return result;
  }
  const Tensors& tensors = subject.tensors;
  return judge_quantization(tensors.a.view(), tensors.b.view(), *subject.given,
                            replay_operands(subject.scheme, tensors.inputs(), tensors.bias.flat()));
}

std::optional<double> sigma_of(Subject& subject) {
  const Tensors& tensors = subject.tensors;
  const Shape shape = tensors.shape();
  if (tensors.b.size() > kLargestSigma) return std::nullopt;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < std::min(kSigmaRows, shape.m); ++i) rows.push_back(i * shape.m / std::min(kSigmaRows, shape.m));
  std::vector<std::int64_t> all(rows.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const Matrix<float> a = select_rows(tensors.a.view(), rows);
  Operands slice = borrow_rows(subject.own, rows);
  const reference::Expectation expectation = reference::expect(a.view(), tensors.b.view(), slice);
  const Matrix<double> sigma = reference::statistical_error(a.view(), tensors.b.view(), slice, all);
  restore(subject.own, std::move(slice));
  return sigma_fraction(select_rows(tensors.c.view(), rows), all, expectation, sigma);
}

// Whether C differs from the answer by more than another order of the same sums would make. Of large operands only a
// failure is worth the time that looking for its cause takes.
bool is_worth_a_look(const Report& report, const Tensors& tensors) {
  if (report.verdict == Verdict::kFail) return true;
  const Tally& found = report.found;
  return tensors.b.size() <= kLargestLook && found.implementation_max_err > kVisible * (found.reach > 0.0 ? found.reach : 1.0);
}

std::vector<std::string> warnings_of(const Report& report) {
  std::vector<std::string> warnings;
  if (report.sigma_fraction && !(*report.sigma_fraction <= kSigmaLimit)) {
    warnings.push_back(fmt::format("6σ: an error reaches {:.3g} of its standard deviations; correct kernels do on heavy tails, so it decides nothing",
                                   *report.sigma_fraction));
  }
  if (report.verdict != Verdict::kFail && report.cause) {
    warnings.push_back("within the bound, and yet a known bug comes nearer to it than the scheme's answer; --exact would fail it");
  }
  return warnings;
}

}  // namespace

Verdict verdict_of(const std::vector<GateResult>& gates) {
  const auto is = [](const GateResult& gate, State state) { return gate.decides && gate.state == state; };
  if (std::any_of(gates.begin(), gates.end(), [&](const auto& gate) { return is(gate, State::fail); })) return Verdict::kFail;
  const auto judges = [&](const GateResult& gate) {
    // A difference of no bit needs no gate that was told to decide.
    if (gate.gate == Gate::implementation) return gate.state == State::pass;
    return gate.gate == Gate::error && is(gate, State::pass);
  };
  return std::any_of(gates.begin(), gates.end(), judges) ? Verdict::kPass : Verdict::kNone;
}

OrError<Report> check(const CheckRequest& request) {
  const auto scheme = scheme_of(request.scheme);
  if (!scheme) return tl::unexpected(scheme.error());
  const auto tensors = read_tensors(request, **scheme);
  if (!tensors) return tl::unexpected(tensors.error());
  auto own = own_operands(request, **scheme, *tensors);
  if (!own) return tl::unexpected(own.error());
  auto given = given_operands(request, *own);
  if (!given) return tl::unexpected(given.error());
  Subject subject{**scheme, *tensors, std::move(*own), std::move(*given)};

  Report report;
  report.request = request;
  report.shape = tensors->shape();
  report.c_type = tensors->c_type;
  report.found = tally(subject);
  report.gates = judge(subject, report.found, request.decision);
  report.gates.insert(report.gates.begin() + 1, judge_codes(subject));
  report.verdict = verdict_of(report.gates);
  report.strips = strips(*tensors, report.found);
  if (is_worth_a_look(report, *tensors)) report.cause = diagnose(subject, report.found);
  report.sigma_fraction = sigma_of(subject);
  report.warnings = warnings_of(report);
  return report;
}

}  // namespace narrowgate::check
