// The command line: wires the subcommands together and turns what they return into an exit code.
#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <exception>

#include "baselines/nearest.h"
#include "kernels/simd_target.h"
#include "suites/cli/formats_command.h"
#include "suites/cli/quantize_command.h"
#include "suites/cli/terminal.h"

namespace narrowgate {
namespace {

// The names that would have been understood at this place, for "did you mean".
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  const auto chosen = app.get_subcommands();
  const CLI::App& place = chosen.empty() ? app : *chosen.front();
  for (const CLI::Option* option : place.get_options()) words.push_back(option->get_name());
  if (chosen.empty()) {
    for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  }
  return words;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::string help = chosen.empty() ? "narrowgate --help" : "narrowgate " + chosen.front()->get_name() + " --help";
  std::string hint;
  for (const std::string& word : app.remaining(true)) {
    if (hint.empty()) hint = did_you_mean(word, known_words(app));
  }
  return fail(kExitBadInput, fmt::format("{}.{} See {}", error.what(), hint, help));
}

int run_program(int argc, char** argv) {
  if (const auto problem = missing_cpu_features()) return fail(kExitEnvironment, *problem);
  if (!subnormals_are_honoured()) {
    return fail(kExitEnvironment, "the CPU flushes subnormals to zero; exact results cannot be made in this mode");
  }
  remember_command_line(argc, argv);
#ifdef __GLIBC__
  // Matrices come and go by the dozen: mapped ones go back at once, where a heap would keep their holes.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif

  CLI::App app{"narrowgate: error gates and benchmarks for quantized matrix multiplication", "narrowgate"};
  CommonOptions common;
  int exit_code = kExitPass;
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--color", common.color, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--quiet", common.quiet, "no progress");
  app.footer("Start with `narrowgate doctor`, then `narrowgate run smoke`. Each command has its own --help.\n"
             "Exit codes: 0 pass, 1 error-gate regression, 2 bad usage or input, 3 no verdict, 4 confirmed slowdown, 5 environment.");
  add_list_command(app, common, exit_code);
  add_run_command(app, common, exit_code);
  add_compare_command(app, common, exit_code);
  add_accept_command(app, common, exit_code);
  add_report_command(app, common, exit_code);
  add_check_command(app, common, exit_code);
  add_selftest_command(app, common, exit_code);
  add_study_command(app, common, exit_code);
  add_doctor_command(app, common, exit_code);
  cli::add_quantize_command(app, exit_code);
  cli::add_formats_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return exit_code;
}

}  // namespace
}  // namespace narrowgate

int main(int argc, char** argv) {
  try {
    return narrowgate::run_program(argc, argv);
  } catch (const std::exception& error) {
    return narrowgate::fail(narrowgate::kExitEnvironment, fmt::format("stopped: {}", error.what()));
  }
}
