// The CUDA device: what it is, memory on it, and the time of a launch. Built only where nvcc is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/memory/memory.h"

namespace narrowgate::cuda {

struct DeviceInfo {
  std::string name;
  int multiprocessors = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int driver_version = 0;   // as cudaDriverGetVersion gives it: 1000·major + 10·minor of the CUDA it supports
  int runtime_version = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
};

// The device, or why there is none ("no CUDA device is present", "the driver is older than the runtime"…).
struct Probe {
  std::optional<DeviceInfo> device;
  std::string problem;
};
Probe probe();

std::unique_ptr<Memory> make_device_memory(Layout layout);

// Throws std::runtime_error naming the kernel when the launch just made was refused.
void check_launch(std::string_view kernel);

// What kernels' launchers ask of the device; without one, what every device has.
std::size_t dynamic_shared_limit();  // bytes of dynamic shared memory that a block may have
unsigned multiprocessor_count();
// Lets the kernel have more dynamic shared memory than the 48 KiB that need no leave.
void allow_dynamic_shared(const void* kernel, std::size_t bytes, std::string_view name);

// Times launches with events on the memory's stream; copies are not in it. Between samples the L2 cache is flushed by
// writing a scratch buffer of twice its size.
class Timer {
 public:
  explicit Timer(Stream stream);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Nanoseconds between two events around one launch, operands not in L2.
  double sample_cold(const std::function<void()>& launch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace narrowgate::cuda
