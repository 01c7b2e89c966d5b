#include "kernels/cuda/management.h"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace narrowgate::cuda {
namespace {

// NVML's C interface, as far as it is used: every call returns 0 on success.
using Init = int (*)();
using Shutdown = int (*)();
using DriverVersion = int (*)(char*, unsigned);
using DeviceByIndex = int (*)(unsigned, void**);
using PowerLimit = int (*)(void*, unsigned*);  // milliwatts

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

std::optional<ManagementInfo> management_info() {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    return handle == nullptr ? 0 : dlclose(handle);
  });
  if (!library) return std::nullopt;
  const auto init = symbol<Init>(library.get(), "nvmlInit_v2");
  const auto shutdown = symbol<Shutdown>(library.get(), "nvmlShutdown");
  const auto driver_version = symbol<DriverVersion>(library.get(), "nvmlSystemGetDriverVersion");
  const auto device_by_index = symbol<DeviceByIndex>(library.get(), "nvmlDeviceGetHandleByIndex_v2");
  const auto power_limit = symbol<PowerLimit>(library.get(), "nvmlDeviceGetEnforcedPowerLimit");
  if (!init || !shutdown || !driver_version || !device_by_index || !power_limit || init() != 0) return std::nullopt;

  std::optional<ManagementInfo> info;
  std::array<char, 96> version{};
  if (driver_version(version.data(), static_cast<unsigned>(version.size())) == 0) {
    info.emplace();
    info->driver = version.data();
    void* device = nullptr;
    unsigned milliwatts = 0;
    if (device_by_index(0, &device) == 0 && power_limit(device, &milliwatts) == 0) info->power_limit_watts = milliwatts / 1000.0;
  }
  shutdown();
  return info;
}

}  // namespace narrowgate::cuda
