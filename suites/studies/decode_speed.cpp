// Which scheme is fastest at a number of tokens: from the times of a run, never from a model.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "suites/studies/measures.h"
#include "suites/studies/studies.h"

namespace narrowgate::studies {
namespace {

struct Layer {
  std::int64_t n = 0, k = 0;
  friend auto operator<=>(const Layer&, const Layer&) = default;
};

struct Best {
  double time_ns = 0;
  std::string kernel;
};

// By scheme, then by tokens (m): the least median of any kernel.
using Times = std::map<std::string, std::map<std::int64_t, Best>>;

std::map<Layer, Times> times_of(const Results& results) {
  std::map<std::string, const CaseProfile*> cases;
  for (const CaseProfile& profile : results.cases) cases[profile.id] = &profile;
  std::map<Layer, Times> layers;
  for (const Row& row : results.benchmarks) {
    const auto of = cases.find(row.case_id);
    if (row.time_state != Row::TimeState::measured || !row.real_time || of == cases.end()) continue;
    Best& best = layers[{of->second->n, of->second->k}][row.scheme][of->second->m];
    if (best.kernel.empty() || *row.real_time < best.time_ns) best = {*row.real_time, row.kernel};
  }
  return layers;
}

// The layer with times of most pairs of scheme and tokens; of equals, the smallest.
const std::pair<const Layer, Times>& fullest(const std::map<Layer, Times>& layers) {
  const auto weight = [](const auto& layer) {
    std::size_t count = 0;
    for (const auto& [scheme, by_tokens] : layer.second) count += by_tokens.size();
    return count;
  };
  return *std::max_element(layers.begin(), layers.end(),
                           [&](const auto& left, const auto& right) { return weight(left) < weight(right); });
}

void fill_series(StudyRecord& study, const Times& times) {
  std::set<std::int64_t> tokens;
  for (const auto& [scheme, by_tokens] : times) {
    for (const auto& [m, best] : by_tokens) tokens.insert(m);
  }
  study.x.numbers.assign(tokens.begin(), tokens.end());
  for (const auto& [scheme, by_tokens] : times) {
    StudyRecord::Series series{scheme, {}, {}};
    for (const std::int64_t m : tokens) {
      const auto found = by_tokens.find(m);
      series.y.push_back(found == by_tokens.end() ? std::nullopt : std::optional(found->second.time_ns / 1000));
    }
    study.series.push_back(std::move(series));
  }
}

std::string fastest_by_tokens(const StudyRecord& study, const Times& times) {
  std::string text;
  for (const double tokens : study.x.numbers) {
    const auto m = static_cast<std::int64_t>(tokens);
    std::string scheme;
    const Best* fastest = nullptr;
    for (const auto& [candidate, by_tokens] : times) {
      const auto found = by_tokens.find(m);
      if (found == by_tokens.end() || (fastest != nullptr && fastest->time_ns <= found->second.time_ns)) continue;
      fastest = &found->second;
      scheme = candidate;
    }
    text += fmt::format("{}{} at {} ({} µs, {})", text.empty() ? "" : ", ", scheme, m,
                        plain_number(fastest->time_ns / 1000), fastest->kernel);
  }
  return text;
}

}  // namespace

StudyRecord decode_speed(const StudyInputs& inputs) {
  StudyRecord study;
  study.id = "decode_speed";
  study.title = "Which scheme is fastest at how many tokens?";
  study.x = {"tokens", "", StudyRecord::Scale::log, {}, {}};
  study.y = {"median time of the fastest kernel", "µs", StudyRecord::Scale::log};
  study.source = "times of a run on the machine named in the notes";
  const std::map<Layer, Times> layers = inputs.results ? times_of(*inputs.results) : std::map<Layer, Times>();
  if (layers.empty()) {
    study.state = StudyRecord::State::not_measured;
    study.finding = inputs.results ? "Not measured: the results hold no time of any kernel."
                                   : "Not measured: give the results of `narrowgate run decode` as --results.";
    return study;
  }
  const auto& [layer, times] = fullest(layers);
  fill_series(study, times);
  study.finding = fmt::format("Fastest by number of tokens, k = {}, n = {}: {}.", layer.k, layer.n,
                              fastest_by_tokens(study, times));
  for (const auto& [backend, device] : inputs.results->context.devices) {
    study.notes.push_back(fmt::format("{}: {}", backend, device.model));
  }
  study.notes.push_back(fmt::format("Suite {}, {}; other layers in it: {}.", inputs.results->context.suite,
                                    inputs.results->context.date, layers.size() - 1));
  return study;
}

}  // namespace narrowgate::studies
