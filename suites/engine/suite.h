// A suite is data: which cases are run. Reading and checking its JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/error.h"

namespace narrowgate {

struct Suite {
  // One entry expands to the product of its lists.
  struct Entry {
    std::vector<std::string> schemes;  // ids or globs
    std::vector<std::string> except;   // globs of schemes that are left out
    std::vector<std::string> kernels;  // globs of the kernels that run; empty: all
    std::vector<std::string> shapes;   // "MxNxK", "MxNxK+ldP+offQ"
    std::vector<std::string> distributions;
    std::vector<std::uint64_t> seeds;
  };
  // Kernels that match get no cell of a case whose largest dimension is greater.
  struct Limit {
    std::string kernels;
    std::int64_t largest_dimension = 0;
  };
  struct Timing {
    std::vector<std::string> kernels;  // globs of kernels that are timed
    std::int64_t smallest_dimension = 1;
    double budget_ms = 0;  // for one cell
  };

  std::string name;
  std::string description;
  std::string origin;  // its file, for messages
  std::vector<std::string> includes;  // names of suites whose cells come first
  bool is_parametric = false;         // the command line may replace its schemes, shapes, distributions and seeds
  std::vector<Entry> cases;
  std::vector<Limit> limits;
  Timing timing;
};

tl::expected<Suite, Error> parse_suite(std::string_view text, const std::string& origin);

// The suite of that name inside the program, or the file of that path. A name that is neither suggests the nearest.
tl::expected<Suite, Error> find_suite(const std::string& name_or_path);

std::vector<std::string> built_in_suites();

// What the command line asks of a parametric suite; an empty list leaves the suite's own.
struct SuiteParameters {
  std::vector<std::string> schemes, shapes, distributions;
  std::vector<std::uint64_t> seeds;
  bool is_empty() const { return schemes.empty() && shapes.empty() && distributions.empty() && seeds.empty(); }
};
// Every case entry of the suite with its lists replaced. Refused for a suite that is not parametric.
tl::expected<Suite, Error> with_parameters(Suite suite, const SuiteParameters& parameters);

}  // namespace narrowgate
