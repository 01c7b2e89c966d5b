#include "suites/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "baselines/nearest.h"
#include "suites/engine/environment.h"

namespace narrowgate {
namespace {

std::string remembered;

}  // namespace

int fail(ExitCode code, const std::string& message) {
  fmt::print(stderr, "narrowgate: {}\n", message);
  return code;
}

Color output_color(const CommonOptions& common) {
  if (common.color == "always") return Color::always;
  if (common.color == "never") return Color::never;
  const char* no_color = std::getenv("NO_COLOR");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  return wanted && isatty(STDOUT_FILENO) == 1 ? Color::always : Color::never;
}

std::set<Backend> available_backends() {
  std::set<Backend> backends = {Backend::kCpu, Backend::kSimt};
  if (cuda_status().device) backends.insert(Backend::kCuda);
  return backends;
}

tl::expected<std::set<Backend>, Error> parse_backends(const std::string& text) {
  if (text.empty()) return available_backends();
  std::set<Backend> backends;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string name = text.substr(first, comma - first);
    first = comma + 1;
    if (name == "cpu") backends.insert(Backend::kCpu);
    else if (name == "simt") backends.insert(Backend::kSimt);
    else if (name == "cuda") backends.insert(Backend::kCuda);
    else return tl::unexpected(Error{fmt::format("--backend: there is no backend \"{}\".{} Backends: cpu, simt, cuda", name, did_you_mean(name, {"cpu", "simt", "cuda"}))});
  }
  return backends;
}

void remember_command_line(int argc, char** argv) {
  remembered = "narrowgate";
  for (int i = 1; i < argc; ++i) {
    remembered += ' ';
    remembered += shell_quoted(argv[i]);
  }
}

const std::string& command_line() { return remembered; }

}  // namespace narrowgate
