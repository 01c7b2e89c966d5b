// narrowgate compare RESULTS
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "baselines/compare.h"
#include "baselines/results_file.h"
#include "baselines/text_file.h"
#include "suites/cli/terminal.h"

namespace narrowgate {
namespace {

struct Arguments {
  std::string results, baseline = "baselines", out = "verdict.json", markdown;
};

tl::expected<Verdict, Error> judge(const Arguments& args) {
  const auto text = read_text(args.results);
  if (!text) return tl::unexpected(text.error());
  const auto results = parse_results(*text, args.results);
  if (!results) return tl::unexpected(results.error());
  const auto accuracy = load_accuracy(args.baseline + "/accuracy");
  if (!accuracy) return tl::unexpected(accuracy.error());
  const auto bounded = load_bounded(args.baseline + "/bounded");
  if (!bounded) return tl::unexpected(bounded.error());
  const auto timing = load_timing(args.baseline + "/timing");
  if (!timing) return tl::unexpected(timing.error());

  CompareOptions options{.results_path = args.results, .results_xxh3 = text_digest(*text), .baseline_path = args.baseline, .published = {}};
  const std::string published = args.baseline + "/published/day98_t4.json";
  if (std::filesystem::exists(published)) {
    const auto figures = load_published(published);
    if (!figures) return tl::unexpected(figures.error());
    options.published = *figures;
  }
  return compare(*results, *accuracy, *bounded, *timing, options);
}

int run(const Arguments& args, const CommonOptions& common) {
  const auto verdict = judge(args);
  if (!verdict) return fail(kExitBadInput, verdict.error().message);
  if (const auto written = write_verdict(args.out, *verdict); !written) return fail(kExitBadInput, written.error().message);
  if (!args.markdown.empty()) {
    const auto written = write_text_atomically(args.markdown, markdown(*verdict));
    if (!written) return fail(kExitBadInput, written.error().message);
  }
  fmt::print("{}", terminal_text(*verdict, output_color(common)));
  return verdict->exit_code;
}

}  // namespace

void add_compare_command(CLI::App& app, const CommonOptions& common, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("compare", "Compare results with the baselines and write verdict.json");
  command->add_option("results", args->results, "results.json of a run")->required();
  command->add_option("--baseline", args->baseline, "folder of the baselines")->capture_default_str();
  command->add_option("--out", args->out, "where the verdict goes")->capture_default_str();
  command->add_option("--markdown", args->markdown, "also write a summary for a pull request or a job page");
  command->footer(
      "Examples:\n"
      "  narrowgate compare results.json\n"
      "  narrowgate compare results.json --markdown summary.md\n"
      "Exit codes: 0 pass, 1 error-gate regression, 2 bad input, 3 no verdict. Times never decide here.");
  command->callback([args, &common, &exit_code] { exit_code = run(*args, common); });
}

}  // namespace narrowgate
