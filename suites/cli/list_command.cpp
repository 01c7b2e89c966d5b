// narrowgate list [SUITE]
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "suites/cli/terminal.h"
#include "suites/engine/plan.h"

namespace narrowgate {
namespace {

struct Arguments {
  std::string suite, backend, filter;
  bool json = false;
};

nlohmann::ordered_json everything_as_json() {
  nlohmann::ordered_json list;
  for (const Scheme* scheme : all_schemes()) {
    list["schemes"].push_back({{"id", scheme->id}, {"family", scheme->family}, {"title", scheme->title}});
  }
  for (const Kernel* kernel : all_kernels()) {
    list["kernels"].push_back({{"folder", kernel->folder},
                               {"name", kernel->name},
                               {"contract", to_string(kernel->contract)},
                               {"arithmetic", kernel->arithmetic},
                               {"source", kernel->source}});
  }
  list["suites"] = built_in_suites();
  return list;
}

int list_everything(const Arguments& args) {
  if (args.json) {
    fmt::print("{}\n", everything_as_json().dump(1));
    return kExitPass;
  }
  fmt::print("Schemes (what is computed)\n");
  for (const Scheme* scheme : all_schemes()) fmt::print("  {:<36} {}\n", scheme->id, scheme->title);
  fmt::print("\nKernels (how)\n");
  for (const Kernel* kernel : all_kernels()) {
    fmt::print("  {:<10} {:<14} {:<8} {}\n", kernel->folder, kernel->name, to_string(kernel->contract), kernel->arithmetic);
  }
  fmt::print("\nSuites (what is run)\n");
  for (const std::string& name : built_in_suites()) {
    const auto suite = find_suite(name);
    fmt::print("  {:<18} {}\n", name, suite ? suite->description : suite.error().message);
  }
  return kExitPass;
}

int run(const Arguments& args) {
  if (args.suite.empty()) return list_everything(args);
  const auto suite = find_suite(args.suite);
  if (!suite) return fail(kExitBadInput, suite.error().message);
  const auto backends = parse_backends(args.backend);
  if (!backends) return fail(kExitBadInput, backends.error().message);
  const auto cells = plan(*suite, {*backends, args.filter});
  if (!cells) return fail(kExitBadInput, cells.error().message);
  if (args.json) {
    nlohmann::ordered_json list = {{"suite", suite->name}, {"cells", nlohmann::ordered_json::array()}};
    for (const Cell& cell : *cells) list["cells"].push_back({{"id", cell.id()}, {"case", cell.of.id()}, {"timed", cell.timed}});
    fmt::print("{}\n", list.dump(1));
  } else {
    for (const Cell& cell : *cells) fmt::print("{}\n", cell.id());
  }
  return kExitPass;
}

}  // namespace

void add_list_command(CLI::App& app, const CommonOptions&, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("list", "List schemes, kernels and suites, or the cells of a suite");
  command->add_option("suite", args->suite, "name of a suite, or the path of its .json file");
  command->add_option("--backend", args->backend, "cpu,simt,cuda; default: all that this machine has");
  command->add_option("--filter", args->filter, "only cells whose id matches this glob");
  command->add_flag("--json", args->json, "as JSON");
  command->footer(
      "Examples:\n"
      "  narrowgate list\n"
      "  narrowgate list pr --filter 'int8.column_zp/*'");
  command->callback([args, &exit_code] { exit_code = run(*args); });
}

}  // namespace narrowgate
