// narrowgate run SUITE
#include <fmt/format.h>

#include <memory>

#include "baselines/nearest.h"
#include "baselines/sentence.h"
#include "suites/cli/progress.h"
#include "suites/cli/terminal.h"
#include "suites/engine/environment.h"
#include "suites/engine/run.h"

namespace narrowgate {
namespace {

struct Arguments {
  std::string suite, backend, filter, out = "results.json", plant, require;
  bool no_timing = false, resume = false;
  SuiteParameters parameters;
};

// A run of devices that are not there is refused before anything is measured.
std::string missing_device(const std::set<Backend>& backends, const std::string& required) {
  if (!backends.contains(Backend::kCuda) && required != "cuda") return {};
  const CudaStatus status = cuda_status();
  if (status.device) return {};
  return "no CUDA device: " + status.problem + ". `narrowgate doctor` tells more";
}

int report_rows(const Results& results, const Arguments& args) {
  std::size_t measured = 0, skipped = 0, crashed = 0;
  for (const Row& row : results.benchmarks) {
    measured += row.state == Row::State::measured;
    skipped += row.state == Row::State::skipped;
    crashed += row.state == Row::State::crashed;
  }
  std::string text = fmt::format("{} of {}: {} measured", counted_cells(static_cast<std::int64_t>(results.benchmarks.size())),
                                 results.context.suite, measured);
  if (skipped != 0) text += fmt::format(", {} skipped", skipped);
  if (crashed != 0) text += fmt::format(", {} crashed", crashed);
  fmt::print("{}\nWrote {}. Judge it with: narrowgate compare {}\n", text, args.out, shell_word(args.out));
  if (measured == 0) return fail(kExitNoVerdict, "nothing was measured");
  return crashed == 0 ? kExitPass : kExitNoVerdict;
}

// What reruns a parametric suite with the same cells: "--schemes", "int8.*", "--seeds", "1,2".
std::vector<std::string> parameter_words(const SuiteParameters& parameters) {
  std::vector<std::string> words;
  const auto append = [&words](const char* option, const auto& list) {
    if (list.empty()) return;
    words.emplace_back(option);
    words.push_back(fmt::format("{}", fmt::join(list, ",")));
  };
  append("--schemes", parameters.schemes);
  append("--shapes", parameters.shapes);
  append("--distributions", parameters.distributions);
  append("--seeds", parameters.seeds);
  return words;
}

int run(const Arguments& args, const CommonOptions& common) {
  auto suite = find_suite(args.suite);
  if (suite) suite = with_parameters(std::move(*suite), args.parameters);
  if (!suite) return fail(kExitBadInput, suite.error().message);
  const auto backends = parse_backends(args.backend);
  if (!backends) return fail(kExitBadInput, backends.error().message);
  const Plant* plant = args.plant.empty() ? nullptr : find_plant(args.plant);
  if (!args.plant.empty() && plant == nullptr) {
    std::vector<std::string> known;
    for (const Plant& each : all_plants()) known.emplace_back(each.name);
    return fail(kExitBadInput, fmt::format("--plant: there is no planted bug \"{}\".{} Known: {}", args.plant,
                                           did_you_mean(args.plant, known), fmt::join(known, ", ")));
  }
  if (const std::string problem = missing_device(*backends, args.require); !problem.empty()) {
    return fail(kExitEnvironment, problem);
  }
  const auto cells = plan(*suite, {*backends, args.filter});
  if (!cells) return fail(kExitBadInput, cells.error().message);
  if (cells->empty()) {
    return fail(kExitNoVerdict, fmt::format("no cell of {} matches the filter and the backends; nothing was measured. "
                                            "`narrowgate list {}` prints the cells", suite->name, args.suite));
  }

  Progress progress(Progress::style_for(common.quiet));
  RunOptions options;
  options.timing = args.no_timing ? Timing::kOff : Timing::kOn;
  options.resume = args.resume ? Resume::kYes : Resume::kNo;
  options.plant = plant;
  options.out = args.out;
  options.context = describe_environment(*backends);
  options.context.suite = args.suite;
  options.context.suite_description = suite->description;
  options.context.command = command_line();
  options.context.parameters = parameter_words(args.parameters);
  if (!args.filter.empty()) options.context.filter = args.filter;
  options.progress = [&](const RunProgress& at, const Row& row) { progress.update(at, row); };
  options.notice = [](const std::string& notice) { fmt::print(stderr, "narrowgate: {}\n", notice); };
  const auto results = run_cells(*cells, std::move(options));
  progress.finish();
  if (!results) return fail(kExitBadInput, results.error().message);
  return report_rows(*results, args);
}

}  // namespace

void add_run_command(CLI::App& app, const CommonOptions& common, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a suite and write results.json");
  command->add_option("suite", args->suite, "name of a suite, or the path of its .json file")->required();
  command->add_option("--backend", args->backend, "cpu,simt,cuda; default: all that this machine has");
  command->add_option("--filter", args->filter, "only cells whose id matches this glob");
  command->add_option("--out", args->out, "where the results go")->capture_default_str();
  command->add_flag("--no-timing", args->no_timing, "judge errors only");
  command->add_flag("--resume", args->resume, "continue a run that was killed, from its journal");
  command->add_option("--require", args->require, "exit 5 unless this device is there")->check(CLI::IsMember({"cuda"}));
  command->add_option("--plant", args->plant, "plant a bug into what the kernels see: zero_point_dropped, stale_scale, one_nan");
  const auto add_list = [command](const char* name, auto& list, const char* what) {
    command->add_option(name, list, what)->delimiter(',')->group("Parametric suites (sweep)");
  };
  add_list("--schemes", args->parameters.schemes, "ids or globs, separated by commas");
  add_list("--shapes", args->parameters.shapes, "MxNxK, separated by commas");
  add_list("--distributions", args->parameters.distributions, "names, separated by commas");
  add_list("--seeds", args->parameters.seeds, "whole numbers, separated by commas");
  command->footer(
      "Examples:\n"
      "  narrowgate run smoke\n"
      "  narrowgate run pr --backend cpu,simt --no-timing\n"
      "  narrowgate run day98 --filter 'int8.column/*/1024x*'\n"
      "  narrowgate run sweep --schemes 'mx.*,int8.token' --shapes 64x64x4096 --distributions heavy --seeds 1,2,3\n"
      "Exit codes: 0 every planned cell was measured, 2 bad input, 3 not all, 5 no device.");
  command->callback([args, &common, &exit_code] { exit_code = run(*args, common); });
}

}  // namespace narrowgate
