// One function per subcommand: adds it to the program; its callback does the work and sets the exit code.
#pragma once

#include <CLI/CLI.hpp>

namespace narrowgate {

// What the program answers to its caller.
enum ExitCode : int {
  kExitPass = 0,
  kExitRegression = 1,    // of an error gate
  kExitBadInput = 2,      // usage, files
  kExitNoVerdict = 3,     // nothing or too little was measured
  kExitSlowdown = 4,      // confirmed by an A/B
  kExitEnvironment = 5,   // no device, driver mismatch, a missing tool
};

// Options that every subcommand shares.
struct CommonOptions {
  std::string color = "auto";
  bool quiet = false;
};

void add_list_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_run_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_compare_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_accept_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_report_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_selftest_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_study_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_check_command(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_doctor_command(CLI::App& app, const CommonOptions& common, int& exit_code);

}  // namespace narrowgate
