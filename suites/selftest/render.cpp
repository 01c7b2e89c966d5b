// The matrix and the scores as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "suites/selftest/selftest.h"

namespace narrowgate::selftest {
namespace {

// Of the schemes that the mutant was tried on, how many the gate kills it on.
struct Share {
  std::size_t killed = 0, tried = 0;
};
Share share(const SelftestFile& file, const std::string& mutant, const std::string& gate) {
  Share result;
  for (const auto& [scheme, gates] : file.kills.at(mutant)) {
    ++result.tried;
    result.killed += static_cast<std::size_t>(std::count(gates.begin(), gates.end(), gate));
  }
  return result;
}

std::string_view mark(const Share& share, std::string_view all, std::string_view some, std::string_view none) {
  if (share.killed == 0) return none;
  return share.killed == share.tried ? all : some;
}

// "2^-23", "2^-6…2^-3" over the schemes, "–" where the gate catches none.
std::string range_text(const SelftestFile::Smallest& smallest) {
  std::optional<double> least, most;
  for (const auto& [scheme, x] : smallest.by_scheme) {
    if (!x) continue;
    least = std::min(least.value_or(*x), *x);
    most = std::max(most.value_or(*x), *x);
  }
  if (!least) return "-";
  const auto power = [](double x) { return x == 1.0 ? std::string("1") : fmt::format("2^{}", std::ilogb(x)); };
  return *least == *most ? power(*least) : fmt::format("{} to {}", power(*least), power(*most));
}

double percent(std::int64_t part, std::int64_t of) { return of == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(of); }

std::size_t mutants_caught(const SelftestFile& file, const std::string& gate) {
  return static_cast<std::size_t>(std::count_if(file.mutants.begin(), file.mutants.end(), [&](const auto& mutant) {
    return share(file, mutant.name, gate).killed > 0;
  }));
}

std::string score_line(const SelftestFile& file, const SelftestFile::Gate& gate) {
  return fmt::format("{:<11} {:>7} {:>9.1f} % {:>9.2f} %   {:<16} {:<16} {}", gate.name,
                     fmt::format("{}/{}", mutants_caught(file, gate.name), file.mutants.size()), percent(gate.killed, gate.pairs),
                     percent(gate.false_alarms, gate.judged), range_text(gate.smallest[0]), range_text(gate.smallest[1]),
                     range_text(gate.smallest[2]));
}

}  // namespace

std::string terminal_table(const SelftestFile& file) {
  std::string text = fmt::format("{:<31}", "mutant");
  for (const SelftestFile::Gate& gate : file.gates) text += fmt::format(" {}", gate.name);
  text += '\n';
  for (const SelftestFile::Mutant& mutant : file.mutants) {
    std::string line = fmt::format("{:<31}", mutant.name);
    for (const SelftestFile::Gate& gate : file.gates) {
      line += fmt::format(" {:^{}}", mark(share(file, mutant.name, gate.name), "x", "+", "."), gate.name.size());
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  text += "x killed on every scheme tried, + on some, . on none\n\n";
  text += "gate        mutants   of pairs  false alarms   scale +x         bias of x bounds one element x ulp\n";
  for (const SelftestFile::Gate& gate : file.gates) text += score_line(file, gate) + '\n';
  return text;
}

std::string markdown_page(const SelftestFile& file) {
  std::string text =
      "# Mutants and gates\n\nWritten by `narrowgate selftest --markdown FILE`: which gate kills which planted bug. ● on every "
      "scheme that it was tried on, ◐ on some.\nWhat the gates are: [gates.md](gates.md).\n\n| mutant |";
  std::string rule = "| --- |";
  for (const SelftestFile::Gate& gate : file.gates) {
    text += fmt::format(" {} |", gate.name);
    rule += " :-: |";
  }
  text += '\n' + rule + '\n';
  for (const SelftestFile::Mutant& mutant : file.mutants) {
    text += fmt::format("| `{}`: {} |", mutant.name, mutant.what);
    for (const SelftestFile::Gate& gate : file.gates) {
      text += fmt::format(" {} |", mark(share(file, mutant.name, gate.name), "●", "◐", ""));
    }
    text += '\n';
  }
  const auto row = [&](std::string_view name, const auto& cell) {
    text += fmt::format("| **{}** |", name);
    for (const SelftestFile::Gate& gate : file.gates) text += fmt::format(" {} |", cell(gate));
    text += '\n';
  };
  row(fmt::format("mutants killed, of {}", file.mutants.size()), [&](const auto& gate) { return fmt::format("{}", mutants_caught(file, gate.name)); });
  row("correct kernels failed, %", [&](const auto& gate) { return fmt::format("{:.1f}", percent(gate.false_alarms, gate.judged)); });
  return text;
}

}  // namespace narrowgate::selftest
