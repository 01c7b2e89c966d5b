// What the driver's management library (NVML) tells of the device, loaded at run time: no build depends on it.
#pragma once

#include <optional>
#include <string>

namespace narrowgate::cuda {

struct ManagementInfo {
  std::string driver;            // "580.159.03"
  double power_limit_watts = 0;  // the enforced limit
};

// Nothing where the library is absent or does not answer.
std::optional<ManagementInfo> management_info();

}  // namespace narrowgate::cuda
