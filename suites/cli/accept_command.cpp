// narrowgate accept RESULTS --why TEXT
#include <fmt/format.h>

#include <memory>

#include "baselines/accept.h"
#include "baselines/results_file.h"
#include "baselines/text_file.h"
#include "suites/cli/terminal.h"

namespace narrowgate {
namespace {

struct Arguments {
  std::string results, baseline = "baselines", why;
  bool allow_dirty = false;
};

int save_fractions(const Arguments& args, const Results& results) {
  const std::string folder = args.baseline + "/bounded";
  const auto stored = load_bounded(folder);
  if (!stored) return fail(kExitBadInput, stored.error().message);
  if (const auto saved = save_bounded(folder, bounded_baseline(results, *stored)); !saved) {
    return fail(kExitBadInput, saved.error().message);
  }
  for (const auto& [key, cells] : bounded_baseline(results).devices) {
    fmt::print("Fractions of the bound of {} cells stored for {}\n", cells.size(), key);
  }
  return kExitPass;
}

int save(const Arguments& args, const Results& results, const Acceptance& acceptance) {
  if (const auto saved = save_accuracy(args.baseline + "/accuracy", acceptance.accuracy); !saved) {
    return fail(kExitBadInput, saved.error().message);
  }
  if (const int code = save_fractions(args, results); code != kExitPass) return code;
  const auto stored = load_timing(args.baseline + "/timing");
  if (!stored) return fail(kExitBadInput, stored.error().message);
  for (const TimingBaseline& timing : timing_baselines(results, *stored)) {
    if (timing.cells.empty()) continue;
    if (const auto saved = save_timing(args.baseline + "/timing", timing); !saved) {
      return fail(kExitBadInput, saved.error().message);
    }
    fmt::print("Times of {} cells stored for {}\n", timing.cells.size(), timing.device.key);
  }
  if (const auto appended = append_line_atomically(args.baseline + "/WHY.md", acceptance.why_line); !appended) {
    return fail(kExitBadInput, appended.error().message);
  }
  for (const std::string& id : acceptance.changed) fmt::print("changed: {}\n", id);
  fmt::print("{} new, {} changed, {} unchanged\n", acceptance.added.size(), acceptance.changed.size(), acceptance.unchanged);
  return kExitPass;
}

int run(const Arguments& args) {
  const auto results = read_results(args.results);
  if (!results) return fail(kExitBadInput, results.error().message);
  const auto accuracy = load_accuracy(args.baseline + "/accuracy");
  if (!accuracy) return fail(kExitBadInput, accuracy.error().message);
  const AcceptOptions options{.why = args.why,
                              .date = results->context.date.substr(0, 10),
                              .dirty_tree = args.allow_dirty ? AcceptOptions::DirtyTree::allow : AcceptOptions::DirtyTree::refuse};
  const auto acceptance = accept(*results, *accuracy, options);
  if (!acceptance) return fail(kExitBadInput, fmt::format("{}: {}", args.results, acceptance.error().message));
  return save(args, *results, *acceptance);
}

}  // namespace

void add_accept_command(CLI::App& app, const CommonOptions&, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("accept", "Make a complete and green run the new baseline");
  command->add_option("results", args->results, "results.json of a run")->required();
  command->add_option("--why", args->why, "one line for baselines/WHY.md")->required();
  command->add_option("--baseline", args->baseline, "folder of the baselines")->capture_default_str();
  command->add_flag("--allow-dirty", args->allow_dirty, "accept a run of a working tree with uncommitted changes");
  command->footer(
      "Example:\n"
      "  narrowgate accept results.json --why 'first baselines of int8.token'\n"
      "A digest that changes is a change of the scheme's answer: say why. Exit codes: 0 accepted, 2 refused.");
  command->callback([args, &exit_code] { exit_code = run(*args); });
}

}  // namespace narrowgate
