#include "baselines/selftest_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "baselines/json_fields.h"
#include "baselines/json_file.h"
#include "baselines/text_file.h"

namespace narrowgate {
namespace {

using nlohmann::ordered_json;

ordered_json kills_json(const std::map<std::string, GateNames>& by_scheme) {
  ordered_json kills = ordered_json::object();
  for (const auto& [scheme, gates] : by_scheme) kills[scheme] = gates;
  return kills;
}

ordered_json gate_json(const SelftestFile::Gate& gate) {
  ordered_json smallest = ordered_json::object();
  for (const SelftestFile::Smallest& of_kind : gate.smallest) {
    ordered_json by_scheme = ordered_json::object();
    for (const auto& [scheme, x] : of_kind.by_scheme) by_scheme[scheme] = x ? ordered_json(*x) : ordered_json(nullptr);
    smallest[of_kind.kind] = std::move(by_scheme);
  }
  return {{"name", gate.name},     {"rule", gate.rule},     {"ours", gate.is_ours},
          {"decides", gate.decides}, {"pairs", gate.pairs},   {"killed", gate.killed},
          {"judged", gate.judged},   {"false_alarms", gate.false_alarms}, {"smallest", std::move(smallest)}};
}

// Appends a list's entries, one a line.
tl::expected<void, Error> append_lines(std::string& text, const std::vector<ordered_json>& entries, const std::string& place) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto line = one_line(entries[i], fmt::format("{}/{}", place, i));
    if (!line) return tl::unexpected(line.error());
    text += fmt::format("{}\n{}", i == 0 ? "" : ",", *line);
  }
  return {};
}

bool contains(const GateNames& gates, const std::string& gate) {
  return std::find(gates.begin(), gates.end(), gate) != gates.end();
}

// Every (mutant, scheme) of the matrix, with its gates.
template <class Visit>
void each_pair(const KillMatrix& matrix, const Visit& visit) {
  for (const auto& [mutant, by_scheme] : matrix) {
    for (const auto& [scheme, gates] : by_scheme) visit(mutant, scheme, gates);
  }
}

const GateNames* find_pair(const KillMatrix& matrix, const std::string& mutant, const std::string& scheme) {
  const auto by_scheme = matrix.find(mutant);
  if (by_scheme == matrix.end()) return nullptr;
  const auto gates = by_scheme->second.find(scheme);
  return gates == by_scheme->second.end() ? nullptr : &gates->second;
}

}  // namespace

tl::expected<std::string, Error> selftest_text(const SelftestFile& file, const std::string& origin) {
  const ordered_json commit = file.git_commit.empty() ? ordered_json(nullptr) : ordered_json(file.git_commit);
  std::string text = fmt::format("{{\n\"schema\": \"narrowgate.selftest/1\",\n\"version\": {},\n\"git_commit\": {},\n\"gates\": [",
                                 ordered_json(file.version).dump(), commit.dump());
  std::vector<ordered_json> gates, mutants;
  for (const SelftestFile::Gate& gate : file.gates) gates.push_back(gate_json(gate));
  if (const auto done = append_lines(text, gates, origin + ": /gates"); !done) return tl::unexpected(done.error());
  text += "\n],\n\"mutants\": [";
  for (const SelftestFile::Mutant& mutant : file.mutants) {
    const auto kills = file.kills.find(mutant.name);
    mutants.push_back({{"name", mutant.name},
                       {"kind", mutant.kind},
                       {"what", mutant.what},
                       {"kills", kills == file.kills.end() ? ordered_json::object() : kills_json(kills->second)}});
  }
  if (const auto done = append_lines(text, mutants, origin + ": /mutants"); !done) return tl::unexpected(done.error());
  text += "\n]\n}\n";
  if (const auto read = parse_json(text, origin, "selftest.schema.json"); !read) return tl::unexpected(read.error());
  return text;
}

tl::expected<void, Error> write_selftest(const std::string& path, const SelftestFile& file) {
  const auto text = selftest_text(file, path);
  if (!text) return tl::unexpected(text.error());
  return write_text_atomically(path, *text);
}

std::string matrix_text(const KillMatrix& matrix) {
  std::string text = "{\n\"schema\": \"narrowgate.kills/1\",\n\"mutants\": {";
  for (auto mutant = matrix.begin(); mutant != matrix.end(); ++mutant) {
    text += fmt::format("{}\n{}: {}", mutant == matrix.begin() ? "" : ",", ordered_json(mutant->first).dump(),
                        kills_json(mutant->second).dump());
  }
  return text + "\n}\n}\n";
}

tl::expected<KillMatrix, Error> parse_matrix(std::string_view text, const std::string& origin) {
  const auto json = parse_json(text, origin, "selftest.schema.json#/definitions/matrix");
  if (!json) return tl::unexpected(json.error());
  KillMatrix matrix;
  for (const auto& [mutant, by_scheme] : json->at("mutants").items()) {
    for (const auto& [scheme, gates] : by_scheme.items()) matrix[mutant][scheme] = gates.get<GateNames>();
  }
  return matrix;
}

tl::expected<KillMatrix, Error> read_matrix(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_matrix(*text, path);
}

tl::expected<void, Error> write_matrix(const std::string& path, const KillMatrix& matrix) {
  const std::string text = matrix_text(matrix);
  // What this program would refuse to read is not written.
  if (const auto read = parse_matrix(text, path); !read) return tl::unexpected(read.error());
  return write_text_atomically(path, text);
}

MatrixChange compare_matrices(const KillMatrix& stored, const KillMatrix& now) {
  MatrixChange change;
  each_pair(stored, [&](const std::string& mutant, const std::string& scheme, const GateNames& gates) {
    const GateNames* found = find_pair(now, mutant, scheme);
    if (found == nullptr) {
      change.lost.push_back(fmt::format("the mutant {} is stored for {} and was not tried on it", mutant, scheme));
      return;
    }
    for (const std::string& gate : gates) {
      if (!contains(*found, gate)) change.lost.push_back(fmt::format("the gate {} no longer kills the mutant {} on {}", gate, mutant, scheme));
    }
  });
  each_pair(now, [&](const std::string& mutant, const std::string& scheme, const GateNames& gates) {
    const GateNames* known = find_pair(stored, mutant, scheme);
    if (known == nullptr) {
      change.unknown.push_back(fmt::format("the mutant {} is not stored for {}", mutant, scheme));
      return;
    }
    for (const std::string& gate : gates) {
      if (!contains(*known, gate)) change.gained.push_back(fmt::format("the gate {} now kills the mutant {} on {}", gate, mutant, scheme));
    }
  });
  return change;
}

}  // namespace narrowgate
