// How the program speaks: errors, colours, and the names of backends.
#pragma once

#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/error.h"
#include "baselines/text_escape.h"
#include "baselines/render.h"
#include "kernels/kernel.h"
#include "suites/cli/commands.h"

namespace narrowgate {

// "narrowgate: message" on standard error; returns the code.
int fail(ExitCode code, const std::string& message);

// --color auto|always|never for standard output; auto heeds NO_COLOR and a pipe.
Color output_color(const CommonOptions& common);

// "cpu,simt" → the set. Empty means every backend that the machine has.
tl::expected<std::set<Backend>, Error> parse_backends(const std::string& text);
std::set<Backend> available_backends();

// The command line as it can be typed again.
void remember_command_line(int argc, char** argv);
const std::string& command_line();

}  // namespace narrowgate
