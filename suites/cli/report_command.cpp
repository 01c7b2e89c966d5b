// narrowgate report VERDICT --out DIR: hands the verdict, and studies and a self-test where given, to the Python package `reports`.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "baselines/json_file.h"
#include "baselines/verdict.h"
#include "suites/cli/terminal.h"

extern char** environ;

namespace narrowgate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMend = "Run scripts/bootstrap to install it, or set NARROWGATE_PYTHON to a folder that holds python";

struct Arguments {
  std::string verdict, out = "report", studies, selftest;
};

// The folder of this program: the build folder, which also holds the virtual environment.
fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : program.parent_path();
}

std::optional<fs::path> find_python() {
  const char* chosen = std::getenv("NARROWGATE_PYTHON");
  const fs::path folder = chosen != nullptr && *chosen != '\0' ? fs::path(chosen) : program_folder() / "venv" / "bin";
  const fs::path python = folder / "python";
  if (!fs::exists(python)) return std::nullopt;
  return python;
}

// The folder that holds the package `reports`: the source tree around the build folder, or the current folder.
std::optional<fs::path> find_package() {
  for (const fs::path& root : {program_folder().parent_path(), fs::current_path()}) {
    if (fs::exists(root / "reports" / "__main__.py")) return root;
  }
  return std::nullopt;
}

int spawn_and_wait(const fs::path& python, const fs::path& package, const Arguments& args) {
  const char* old_path = std::getenv("PYTHONPATH");
  const std::string path = old_path == nullptr ? package.string() : package.string() + ":" + old_path;
  setenv("PYTHONPATH", path.c_str(), 1);
  const std::string program = python.string();
  std::vector<const char*> argv = {program.c_str(), "-m", "reports", args.verdict.c_str(), "--out", args.out.c_str()};
  if (!args.studies.empty()) argv.insert(argv.end(), {"--studies", args.studies.c_str()});
  if (!args.selftest.empty()) argv.insert(argv.end(), {"--selftest", args.selftest.c_str()});
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, const_cast<char* const*>(argv.data()), environ) != 0) {
    return fail(kExitEnvironment, program + " cannot be started. " + kMend);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return fail(kExitEnvironment, "the report program was killed");
  const int code = WEXITSTATUS(status);
  return code == kExitPass || code == kExitBadInput ? code : static_cast<int>(kExitEnvironment);
}

int run(const Arguments& args) {
  // Checked here as well, so that a broken file is named even where Python is missing.
  if (const auto verdict = read_verdict(args.verdict); !verdict) return fail(kExitBadInput, verdict.error().message);
  if (!args.studies.empty()) {
    const auto studies = read_json(args.studies, "studies.schema.json");
    if (!studies) return fail(kExitBadInput, studies.error().message);
  }
  if (!args.selftest.empty()) {
    const auto selftest = read_json(args.selftest, "selftest.schema.json");
    if (!selftest) return fail(kExitBadInput, selftest.error().message);
  }
  const auto python = find_python();
  if (!python) return fail(kExitEnvironment, fmt::format("the report needs Python with matplotlib and Jinja2. {}", kMend));
  const auto package = find_package();
  if (!package) return fail(kExitEnvironment, "the folder reports/ is neither beside the build folder nor in the current folder");
  return spawn_and_wait(*python, *package, args);
}

}  // namespace

void add_report_command(CLI::App& app, const CommonOptions&, int& exit_code) {
  const auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("report", "Render a verdict as one HTML page");
  command->add_option("verdict", args->verdict, "verdict.json of a comparison")->required();
  command->add_option("--out", args->out, "folder for index.html")->capture_default_str();
  command->add_option("--studies", args->studies, "studies.json of `narrowgate study`: adds studies.html, linked from index.html");
  command->add_option("--selftest", args->selftest, "selftest.json of `narrowgate selftest --out`: adds selftest.html, linked from index.html");
  command->footer(
      "Examples:\n"
      "  narrowgate report verdict.json --out report\n"
      "  narrowgate study && narrowgate report verdict.json --out report --studies studies.json\n"
      "Exit codes: 0 written, 2 bad input, 5 Python or its packages are missing.");
  command->callback([args, &exit_code] { exit_code = run(*args); });
}

}  // namespace narrowgate
