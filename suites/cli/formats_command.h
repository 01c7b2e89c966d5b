// narrowgate formats: the number formats, or all codes of one.
#pragma once

namespace CLI {
class App;
}

namespace narrowgate::cli {

// Adds the subcommand; running it sets `exit_code` to 0, or 2 for a name that is no format.
void add_formats_command(CLI::App& app, int& exit_code);

}  // namespace narrowgate::cli
