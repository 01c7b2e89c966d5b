// narrowgate doctor
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "baselines/store.h"
#include "kernels/simd_target.h"
#include "suites/cli/terminal.h"
#include "suites/engine/environment.h"
#include "suites/engine/suite.h"

namespace narrowgate {
namespace {

void describe_cpu() {
  const Device cpu = cpu_device();
  fmt::print("CPU      {}, {} cores; host kernels run with {}.\n", cpu.model, *cpu.units, *cpu.isa);
  fmt::print("         Subnormals are {}.\n",
             subnormals_are_honoured() ? "honoured" : "flushed to zero: exact results cannot be made here, and run will refuse");
}

// What the card's generation can do in hardware, whether or not a kernel here uses it.
void describe_capabilities(const CudaStatus& status) {
  struct Capability {
    const char* what;
    int major, minor;
  };
  for (const Capability& capability : {Capability{"INT8 tensor cores", 7, 5}, Capability{"2:4 sparse tensor cores", 8, 0},
                                       Capability{"FP8 tensor cores", 8, 9}, Capability{"MX and FP4 tensor cores", 10, 0}}) {
    const bool has = std::pair(status.compute_major, status.compute_minor) >= std::pair(capability.major, capability.minor);
    fmt::print("         {:<24} {:<3} (from compute capability {}.{})\n", capability.what, has ? "yes" : "no",
               capability.major, capability.minor);
  }
}

// Kernels that call a vendor's library, and why they cannot run here where they cannot.
void describe_libraries() {
  constexpr Shape kPlain{64, 64, 64};  // that every library takes
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->backend != Backend::kCuda || !kernel->source.ends_with(".cpp")) continue;
    const auto schemes = all_schemes();
    const auto scheme =
        std::find_if(schemes.begin(), schemes.end(), [&](const Scheme* each) { return kernel->computes(*each); });
    if (scheme == schemes.end()) continue;
    fmt::print("         {:<24} {}\n", fmt::format("{} of {}", kernel->name, kernel->folder),
               kernel->unsupported(**scheme, kPlain).value_or("ready"));
  }
}

void describe_cuda() {
  const CudaStatus status = cuda_status();
  if (!status.device) {
    fmt::print("CUDA     not used: {}.\n", status.problem);
    fmt::print("         The CUDA kernels still run here, on the host: backend simt.\n");
    return;
  }
  const Device& device = *status.device;
  fmt::print("CUDA     {}, {} multiprocessors, {}, driver {}, runtime {}.\n", device.model, *device.units, *device.isa,
             *device.driver, *device.runtime);
  describe_capabilities(status);
  describe_libraries();
}

void describe_data() {
  fmt::print("Suites   {}.\n", fmt::join(built_in_suites(), ", "));
  const auto accuracy = load_accuracy("baselines/accuracy");
  if (accuracy) fmt::print("Baseline {} cases in baselines/accuracy.\n", accuracy->cases.size());
  else fmt::print("Baseline none to compare with from this folder: {}.\n", accuracy.error().message);
}

int run() {
  describe_cpu();
  describe_cuda();
  describe_data();
  return subnormals_are_honoured() ? kExitPass : kExitEnvironment;
}

}  // namespace

void add_doctor_command(CLI::App& app, const CommonOptions&, int& exit_code) {
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine is, what it can run, and what is missing");
  command->callback([&exit_code] { exit_code = run(); });
}

}  // namespace narrowgate
