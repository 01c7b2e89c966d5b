// Which gates kill which mutants: selftest.json with all that `narrowgate selftest` found, and of it the part that is
// stored in baselines/selftest.json, so that a gate that goes blind is seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/error.h"

namespace narrowgate {

// Names of gates, in the order of the gates' list.
using GateNames = std::vector<std::string>;

// Mutant → scheme → the gates that kill it there.
using KillMatrix = std::map<std::string, std::map<std::string, GateNames>>;

struct SelftestFile {
  struct Mutant {
    std::string name, kind, what;
  };
  // The smallest error of a kind that the gate still caught, by scheme; nothing where it caught none, or where it
  // already fails the correct output.
  struct Smallest {
    std::string kind;  // "scale", "bias", "ulp"
    std::map<std::string, std::optional<double>> by_scheme;
  };
  struct Gate {
    std::string name, rule;
    bool is_ours = false;
    bool decides = false;
    std::int64_t pairs = 0, killed = 0;         // a mutant on a scheme each
    std::int64_t judged = 0, false_alarms = 0;  // correct kernels on random cases
    std::vector<Smallest> smallest;
  };

  std::string version;
  std::string git_commit;  // empty: unknown
  std::vector<Gate> gates;
  std::vector<Mutant> mutants;  // ascending names
  KillMatrix kills;             // of these mutants
};

// One gate and one mutant a line. The message of an error begins with `origin` and the place.
tl::expected<std::string, Error> selftest_text(const SelftestFile& file, const std::string& origin);
tl::expected<void, Error> write_selftest(const std::string& path, const SelftestFile& file);

// The stored matrix: one mutant a line, ascending names, so the same matrix gives the same bytes.
std::string matrix_text(const KillMatrix& matrix);
tl::expected<KillMatrix, Error> parse_matrix(std::string_view text, const std::string& origin);
tl::expected<KillMatrix, Error> read_matrix(const std::string& path);
tl::expected<void, Error> write_matrix(const std::string& path, const KillMatrix& matrix);

// In sentences, each of which names the gate, the mutant and the scheme that it is about.
struct MatrixChange {
  std::vector<std::string> lost;     // killed in the stored matrix, and not now; or not tried any more
  std::vector<std::string> unknown;  // tried now, and not in the stored matrix
  std::vector<std::string> gained;   // killed now, and not in the stored matrix
};
MatrixChange compare_matrices(const KillMatrix& stored, const KillMatrix& now);

}  // namespace narrowgate
