#include "suites/engine/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "baselines/glob.h"
#include "baselines/nearest.h"

namespace narrowgate {
namespace {

// Reads digits from the front of `text`; false where there are none, or a number outside [low, 2^31).
bool take_number(std::string_view& text, std::int64_t low, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < low || value >= (std::int64_t{1} << 31)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

Error at_entry(const Suite& suite, std::size_t entry, const std::string& problem) {
  return {fmt::format("{}: /cases/{}: {}", suite.origin, entry, problem)};
}

tl::expected<std::vector<const Scheme*>, Error> matching_schemes(const std::string& pattern) {
  std::vector<const Scheme*> found;
  std::vector<std::string> known;
  for (const Scheme* scheme : all_schemes()) {
    known.emplace_back(scheme->id);
    if (glob_match(pattern, scheme->id)) found.push_back(scheme);
  }
  if (!found.empty()) return found;
  return tl::unexpected(Error{fmt::format("no scheme matches \"{}\".{}", pattern, did_you_mean(pattern, known))});
}

tl::expected<Distribution, Error> known_distribution(const std::string& name) {
  if (const auto found = find_distribution(name)) return *found;
  std::vector<std::string> known;
  for (const Distribution distribution : all_distributions()) known.emplace_back(to_string(distribution));
  return tl::unexpected(Error{fmt::format("there is no distribution \"{}\".{}", name, did_you_mean(name, known))});
}

bool within_limits(const Suite& suite, const Kernel& kernel, Shape shape) {
  const std::int64_t largest = std::max({shape.m, shape.n, shape.k});
  return std::none_of(suite.limits.begin(), suite.limits.end(), [&](const Suite::Limit& limit) {
    return glob_match(limit.kernels, kernel.name) && largest > limit.largest_dimension;
  });
}

bool is_wanted(const Suite::Entry& entry, const Kernel& kernel) {
  return entry.kernels.empty() || std::any_of(entry.kernels.begin(), entry.kernels.end(), [&](const std::string& pattern) {
    return glob_match(pattern, kernel.name);
  });
}

bool is_timed(const Suite::Timing& timing, const Kernel& kernel, Shape shape) {
  // What the host executes of a device kernel says nothing about time.
  if (kernel.backend == Backend::kSimt) return false;
  if (std::min({shape.m, shape.n, shape.k}) < timing.smallest_dimension) return false;
  return std::any_of(timing.kernels.begin(), timing.kernels.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, kernel.name); });
}

// One entry of the suite, its names resolved.
struct Resolved {
  std::vector<const Scheme*> schemes;
  std::vector<ShapeAndLayout> shapes;
  std::vector<Distribution> distributions;
};

tl::expected<Resolved, Error> resolve(const Suite::Entry& entry) {
  Resolved resolved;
  for (const std::string& pattern : entry.schemes) {
    const auto schemes = matching_schemes(pattern);
    if (!schemes) return tl::unexpected(schemes.error());
    resolved.schemes.insert(resolved.schemes.end(), schemes->begin(), schemes->end());
  }
  for (const std::string& pattern : entry.except) {
    const auto schemes = matching_schemes(pattern);
    if (!schemes) return tl::unexpected(schemes.error());
    std::erase_if(resolved.schemes, [&](const Scheme* scheme) { return glob_match(pattern, scheme->id); });
  }
  for (const std::string& text : entry.shapes) {
    const auto shape = parse_shape(text);
    if (!shape) return tl::unexpected(shape.error());
    resolved.shapes.push_back(*shape);
  }
  for (const std::string& name : entry.distributions) {
    const auto distribution = known_distribution(name);
    if (!distribution) return tl::unexpected(distribution.error());
    resolved.distributions.push_back(*distribution);
  }
  return resolved;
}

// Every cell of an entry, the cells of the same inputs together.
std::vector<Cell> product_of(const Suite& suite, const Suite::Entry& source, const Resolved& entry) {
  std::vector<Cell> cells;
  const auto append_kernels = [&](const Case& of, Layout layout) {
    for (const Kernel* kernel : all_kernels()) {
      if (!kernel->computes(*of.scheme) || !is_wanted(source, *kernel) || !within_limits(suite, *kernel, of.shape)) continue;
      cells.push_back({of, kernel, layout, is_timed(suite.timing, *kernel, of.shape), suite.timing.budget_ms});
    }
  };
  for (const ShapeAndLayout& at : entry.shapes) {
    for (const Distribution distribution : entry.distributions) {
      for (const std::uint64_t seed : source.seeds) {
        for (const Scheme* scheme : entry.schemes) append_kernels({scheme, at.shape, distribution, seed}, at.layout);
      }
    }
  }
  return cells;
}

// Cells of the suites that this one includes; a cell that several have is taken once, from the first.
tl::expected<void, Error> append_included(const Suite& suite, const PlanOptions& options, std::vector<Cell>& cells,
                                          std::unordered_set<std::string>& seen) {
  for (const std::string& name : suite.includes) {
    if (name == suite.name) return tl::unexpected(Error{fmt::format("{}: /includes: a suite cannot include itself", suite.origin)});
    const auto included = find_suite(name);
    if (!included) return tl::unexpected(Error{fmt::format("{}: /includes: {}", suite.origin, included.error().message)});
    if (!included->includes.empty()) {
      return tl::unexpected(Error{fmt::format("{}: /includes: {} includes suites itself; one level is enough", suite.origin, name)});
    }
    auto planned = plan(*included, options);
    if (!planned) return tl::unexpected(planned.error());
    for (Cell& cell : *planned) {
      if (seen.insert(cell.id()).second) cells.push_back(std::move(cell));
    }
  }
  return {};
}

}  // namespace

std::string shape_text(Shape shape, Layout layout) {
  std::string text = fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
  if (layout.ld_padding != 0) text += fmt::format("+ld{}", layout.ld_padding);
  if (layout.offset != 0) text += fmt::format("+off{}", layout.offset);
  return text;
}

std::string Case::id() const {
  return fmt::format("{}/{}/{}/s{}", scheme->id, shape_text(shape, {}), to_string(distribution), seed);
}

std::string Cell::id() const {
  return fmt::format("{}/{}/{}/{}/s{}", of.scheme->id, kernel->name, shape_text(of.shape, layout),
                     to_string(of.distribution), of.seed);
}

tl::expected<ShapeAndLayout, Error> parse_shape(std::string_view text) {
  ShapeAndLayout result;
  std::string_view rest = text;
  bool good = take_number(rest, 1, result.shape.m) && take_word(rest, "x") && take_number(rest, 1, result.shape.n) &&
              take_word(rest, "x") && take_number(rest, 1, result.shape.k);
  if (good && take_word(rest, "+ld")) good = take_number(rest, 1, result.layout.ld_padding);
  if (good && take_word(rest, "+off")) good = take_number(rest, 1, result.layout.offset);
  if (good && rest.empty()) return result;
  return tl::unexpected(Error{fmt::format(
      "\"{}\" is not a shape; expected MxNxK with whole numbers from 1, and after it +ldP and +offQ if wanted, as in "
      "\"33x65x129+ld7+off3\"", text)});
}

tl::expected<std::vector<Cell>, Error> plan(const Suite& suite, const PlanOptions& options) {
  std::vector<Cell> cells;
  std::unordered_set<std::string> seen;
  if (auto added = append_included(suite, options, cells, seen); !added) return tl::unexpected(added.error());
  std::unordered_set<std::string> own;
  for (std::size_t index = 0; index < suite.cases.size(); ++index) {
    const auto resolved = resolve(suite.cases[index]);
    if (!resolved) return tl::unexpected(at_entry(suite, index, resolved.error().message));
    for (const Cell& cell : product_of(suite, suite.cases[index], *resolved)) {
      if (!options.backends.contains(cell.kernel->backend)) continue;
      const std::string id = cell.id();
      if (!own.insert(id).second) {
        return tl::unexpected(at_entry(suite, index, fmt::format("the cell {} is planned twice", id)));
      }
      if (!seen.insert(id).second) continue;
      if (options.filter.empty() || glob_match(options.filter, id)) cells.push_back(cell);
    }
  }
  return cells;
}

}  // namespace narrowgate
