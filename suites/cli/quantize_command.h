// narrowgate quantize: one matrix from a file, quantized by name, as an .npz archive.
#pragma once

namespace CLI {
class App;
}

namespace narrowgate::cli {

// Adds the subcommand; running it sets `exit_code` to 0, or 2 when input or arguments are bad.
void add_quantize_command(CLI::App& app, int& exit_code);

}  // namespace narrowgate::cli
