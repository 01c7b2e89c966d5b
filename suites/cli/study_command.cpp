// narrowgate study [NAME…]: computes the studies and writes studies.json, for `narrowgate report --studies`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "baselines/nearest.h"
#include "baselines/results_file.h"
#include "suites/cli/terminal.h"
#include "suites/engine/build_info.h"
#include "suites/studies/studies.h"

namespace narrowgate {
namespace {

struct Arguments {
  std::vector<std::string> names;
  std::string out = "studies.json", results;
  bool json = false;
};

// The studies named, in the order of the registry; all where none is named.
tl::expected<std::vector<const studies::Study*>, Error> chosen(const std::vector<std::string>& names) {
  std::vector<const studies::Study*> studies;
  for (const std::string& name : names) {
    if (studies::find_study(name) != nullptr) continue;
    const std::vector<std::string> known = studies::study_names();
    return tl::unexpected(Error{fmt::format("no study \"{}\".{} Known: {}", name, did_you_mean(name, known),
                                            fmt::join(known, ", "))});
  }
  for (const studies::Study& study : studies::all_studies()) {
    const bool is_named = std::find(names.begin(), names.end(), study.id) != names.end();
    if (names.empty() || is_named) studies.push_back(&study);
  }
  return studies;
}

int run(const Arguments& args, const CommonOptions& common) {
  const auto to_run = chosen(args.names);
  if (!to_run) return fail(kExitBadInput, to_run.error().message);
  studies::StudyInputs inputs;
  if (!args.results.empty()) {
    auto results = read_results(args.results);
    if (!results) return fail(kExitBadInput, results.error().message);
    inputs.results = std::move(*results);
  }
  StudiesFile file{build_info::kVersion, build_info::commit(), {}};
  for (const studies::Study* study : *to_run) {
    file.studies.push_back(study->run(inputs));
    if (!args.json && !common.quiet) fmt::print("{}\n  {}\n", file.studies.back().title, file.studies.back().finding);
  }
  const auto written = write_studies(args.out, file);
  if (!written) return fail(kExitBadInput, written.error().message);
  if (args.json) fmt::print("{}", *studies_text(file, args.out));
  return kExitPass;
}

}  // namespace

void add_study_command(CLI::App& app, const CommonOptions& common, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("study", "Compute the studies and write studies.json");
  command->add_option("names", args->names, "which ones; default: all");
  command->add_option("--out", args->out, "where the studies go")->capture_default_str();
  command->add_option("--results", args->results, "results.json of the suite decode, for the studies that need times");
  command->add_flag("--json", args->json, "print the file instead of the findings");
  command->footer(fmt::format(
      "Studies: {}.\n"
      "Examples:\n"
      "  narrowgate study\n"
      "  narrowgate study clipping swamping --out studies.json\n"
      "  narrowgate report verdict.json --out report --studies studies.json\n"
      "Exit codes: 0 written, 2 bad usage or input.",
      fmt::join(studies::study_names(), ", ")));
  command->callback([args, &common, &exit_code] { exit_code = run(*args, common); });
}

}  // namespace narrowgate
