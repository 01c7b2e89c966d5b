// narrowgate selftest: shows that every planted bug is caught, and that no gate has gone blind.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "baselines/accept.h"
#include "baselines/glob.h"
#include "baselines/nearest.h"
#include "baselines/text_file.h"
#include "suites/cli/terminal.h"
#include "suites/selftest/judge.h"
#include "suites/selftest/selftest.h"

namespace narrowgate {
namespace {

struct Arguments {
  std::string out, markdown, baseline = "baselines", filter, why;
  std::int64_t cases = 940;  // ten of each scheme
  bool accept = false, json = false;
};

constexpr std::uint64_t kFirstSeed = 1;

std::vector<const selftest::Mutant*> chosen_mutants(const std::string& filter) {
  std::vector<const selftest::Mutant*> mutants;
  for (const selftest::Mutant& mutant : selftest::all_mutants()) {
    if (filter.empty() || glob_match(filter, mutant.name)) mutants.push_back(&mutant);
  }
  return mutants;
}

// Of the stored matrix what was asked for.
KillMatrix chosen_lines(const KillMatrix& stored, const std::string& filter) {
  KillMatrix chosen;
  for (const auto& [mutant, kills] : stored) {
    if (filter.empty() || glob_match(filter, mutant)) chosen.emplace(mutant, kills);
  }
  return chosen;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

int accept_matrix(const Arguments& args, const SelftestFile& file, const std::string& path) {
  if (const auto written = write_matrix(path, file.kills); !written) return fail(kExitBadInput, written.error().message);
  const std::string line = fmt::format("- {} · selftest.json, {} mutants · {} · {}", today(), file.mutants.size(), args.why,
                                       file.git_commit.empty() ? "unknown commit" : file.git_commit.substr(0, 12));
  if (const auto appended = append_line_atomically(args.baseline + "/WHY.md", line); !appended) {
    return fail(kExitBadInput, appended.error().message);
  }
  fmt::print("{} written\n", path);
  return kExitPass;
}

// What the stored matrix says to this one: 1 where a gate went blind, 3 where there is something it does not know.
int compare_with_stored(const Arguments& args, const SelftestFile& file, const std::string& path) {
  const std::string accept = "accept it: narrowgate selftest --accept --why 'the reason'";
  if (!std::filesystem::exists(path)) return fail(kExitNoVerdict, fmt::format("{} does not exist; {}", path, accept));
  const auto stored = read_matrix(path);
  if (!stored) return fail(kExitBadInput, stored.error().message);
  const MatrixChange change = compare_matrices(chosen_lines(*stored, args.filter), file.kills);
  for (const std::string& lost : change.lost) fail(kExitRegression, lost);
  for (const std::string& unknown : change.unknown) fail(kExitNoVerdict, unknown + "; " + accept);
  if (!args.json && !change.gained.empty()) {
    fmt::print("{} kills more than stored, the first: {}; {}\n", change.gained.size(), change.gained.front(), accept);
  }
  if (!change.lost.empty()) return kExitRegression;
  return change.unknown.empty() ? kExitPass : kExitNoVerdict;
}

int write_files(const Arguments& args, const SelftestFile& file) {
  if (!args.out.empty()) {
    if (const auto written = write_selftest(args.out, file); !written) return fail(kExitBadInput, written.error().message);
  }
  if (!args.markdown.empty()) {
    if (const auto written = write_text_atomically(args.markdown, selftest::markdown_page(file)); !written) {
      return fail(kExitBadInput, written.error().message);
    }
  }
  return kExitPass;
}

int print_results(const Arguments& args, const CommonOptions& common, const SelftestFile& file, std::int64_t random_cases,
                  double seconds) {
  if (args.json) {
    const auto text = selftest_text(file, "selftest.json");
    if (!text) return fail(kExitBadInput, text.error().message);
    fmt::print("{}", *text);
    return kExitPass;
  }
  if (!common.quiet) fmt::print("{}\n", selftest::terminal_table(file));
  fmt::print("{} mutants on one scheme or more each, {} in all; {} correct random cases; {:.1f} s\n", file.mutants.size(),
             file.gates.front().pairs, random_cases, seconds);
  return kExitPass;
}

// Whether both names lead to one file, be it there already or not.
bool same_file(const std::string& left, const std::string& right) {
  const auto canonical = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return canonical(left) == canonical(right);
}

// Gates are the program's own; a stored name that is none of them was not written by it.
std::optional<std::string> unknown_gate(const KillMatrix& stored, const std::string& path) {
  std::vector<std::string> known;
  for (const selftest::GateColumn& gate : selftest::gate_columns()) known.emplace_back(gate.name);
  for (const auto& [mutant, by_scheme] : stored) {
    for (const auto& [scheme, gates] : by_scheme) {
      for (const std::string& gate : gates) {
        if (std::find(known.begin(), known.end(), gate) != known.end()) continue;
        return fmt::format("{}: /mutants/{}/{}: there is no gate \"{}\".{}", path, mutant, scheme, gate, did_you_mean(gate, known));
      }
    }
  }
  return std::nullopt;
}

// What is wrong with the call before anything is tried. A stored matrix that does not parse is never written over.
std::optional<std::string> refuse_call(const Arguments& args, const std::string& path) {
  if (args.accept && !args.filter.empty()) return "--accept stores the whole matrix; leave --filter out";
  if (args.accept) {
    if (const auto refusal = refuse_reason(args.why)) return refusal->message;
  }
  for (const auto& [option, file] : {std::pair{"--out", args.out}, std::pair{"--markdown", args.markdown}}) {
    if (file.empty() || !same_file(file, path)) continue;
    return fmt::format("{}: {} is the stored matrix, which only --accept writes", option, file);
  }
  if (!args.out.empty() && !args.markdown.empty() && same_file(args.out, args.markdown)) {
    return fmt::format("--out and --markdown both name {}", args.out);
  }
  std::error_code code;
  if (std::filesystem::symlink_status(path, code).type() == std::filesystem::file_type::not_found) return std::nullopt;
  const auto stored = read_matrix(path);
  return stored ? unknown_gate(*stored, path) : stored.error().message;
}

int run(const Arguments& args, const CommonOptions& common) {
  const std::string path = args.baseline + "/selftest.json";
  if (const auto refusal = refuse_call(args, path)) return fail(kExitBadInput, *refusal);
  const auto mutants = chosen_mutants(args.filter);
  if (mutants.empty()) return fail(kExitNoVerdict, fmt::format("no mutant matches \"{}\"; nothing was tried", args.filter));
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = selftest::try_mutants(mutants);
  const auto alarms = selftest::count_false_alarms(args.cases, kFirstSeed);
  const SelftestFile file = selftest::selftest_file(outcomes, alarms, selftest::find_smallest_errors());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (const int code = write_files(args, file); code != kExitPass) return code;
  if (const int code = print_results(args, common, file, alarms.cases, elapsed.count()); code != kExitPass) return code;
  const auto found = selftest::defects(outcomes, alarms);
  for (const std::string& defect : found) fail(kExitRegression, defect);
  if (!found.empty()) return kExitRegression;
  return args.accept ? accept_matrix(args, file, path) : compare_with_stored(args, file, path);
}

}  // namespace

void add_selftest_command(CLI::App& app, const CommonOptions& common, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("selftest", "Show that every planted bug is caught by a gate");
  command->add_option("--out", args->out, "where all that was found goes, as JSON");
  command->add_option("--markdown", args->markdown, "where the matrix goes, as a Markdown page");
  command->add_option("--baseline", args->baseline, "folder of the baselines, with the stored selftest.json")->capture_default_str();
  command->add_option("--filter", args->filter, "a glob over the names of mutants");
  command->add_option("--cases", args->cases, "random cases for the false alarms")->capture_default_str()->check(CLI::Range(1, 1'000'000));
  CLI::Option* accept = command->add_flag("--accept", args->accept, "store the matrix as the one to be held to");
  command->add_option("--why", args->why, "with --accept: one line for baselines/WHY.md")->needs(accept);
  command->add_flag("--json", args->json, "print the JSON instead of the tables");
  command->footer(
      "Examples:\n"
      "  narrowgate selftest\n"
      "  narrowgate selftest --filter 'scale*' --out selftest.json\n"
      "  narrowgate selftest --accept --why 'mutants of packed weights'\n"
      "Exit codes: 0 every mutant is killed and no gate went blind, 1 otherwise, 2 bad usage or input, 3 the stored matrix\n"
      "is missing or does not know a mutant.");
  command->callback([args, &common, &exit_code] { exit_code = run(*args, common); });
}

}  // namespace narrowgate
