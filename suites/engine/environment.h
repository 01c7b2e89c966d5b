// What is recorded about where and how a run took place, and the device keys under which times are kept.
#pragma once

#include <map>
#include <set>
#include <string>

#include "baselines/record.h"
#include "kernels/kernel.h"

namespace narrowgate {

// The CPU's key: model, cores, instruction set. The simulated device shares the host's entry but keeps no times.
Device cpu_device();

// Every field except suite, command and filter, which the run itself knows.
RunContext describe_environment(const std::set<Backend>& backends);

// The CUDA device, or why there is none.
struct CudaStatus {
  bool built = false;  // compiled in
  std::optional<Device> device;
  std::string problem;
  int compute_major = 0, compute_minor = 0;
};
CudaStatus cuda_status();

}  // namespace narrowgate
