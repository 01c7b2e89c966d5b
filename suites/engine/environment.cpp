#include "suites/engine/environment.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <fstream>
#include <vector>

#include "kernels/simd_target.h"
#include "suites/engine/build_info.h"
#ifdef NARROWGATE_HAS_CUDA
#include "kernels/cuda/device.h"
#include "kernels/cuda/management.h"
#endif

namespace narrowgate {
namespace {

// The value of the first line "key : value" of /proc/cpuinfo.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string now_utc() {
  const time_t now = ::time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &parts);
  return text.data();
}

// Facts joined into a key that is a folder name as it stands: "NVIDIA-H200_132-SMs_sm_90_driver-580_CUDA-13.0_700-W".
std::string device_key(const std::vector<std::string>& facts) {
  std::string key;
  for (const std::string& fact : facts) {
    if (!key.empty()) key += '_';
    bool dash = true;  // none at the front of a fact, and never two in a row
    for (const char letter : fact) {
      const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '_';
      if (plain) key += letter;
      else if (!dash) key += '-';
      dash = !plain;
    }
    if (key.ends_with('-')) key.pop_back();
  }
  return key;
}

void describe_host(RunContext& context) {
  const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
  context.date = now_utc();
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  context.host_name = name.data();
  context.executable = "narrowgate";
  context.num_cpus = cpu.num_cpus;
  context.mhz_per_cpu = static_cast<std::int64_t>(cpu.cycles_per_second / 1e6);
  context.cpu_scaling_enabled = cpu.scaling == benchmark::CPUInfo::ENABLED;
  for (const auto& cache : cpu.caches) context.caches.push_back({cache.type, cache.level, cache.size, cache.num_sharing});
  context.load_avg = cpu.load_avg;
#ifdef NDEBUG
  context.library_build_type = "release";
#else
  context.library_build_type = "debug";
#endif
}

void describe_system(RunContext& context) {
  utsname system{};
  uname(&system);
  context.environment["operating_system"] = fmt::format("{} {}", system.sysname, system.release);
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  context.environment["cpu_governor"] = governor.empty() ? EnvironmentValue{} : EnvironmentValue{governor};
  context.environment["subnormals_honoured"] = subnormals_are_honoured();
}

}  // namespace

Device cpu_device() {
  Device device;
  device.model = cpuinfo("model name");
  device.units = static_cast<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  device.isa = simd_target();
  device.key = device_key({device.model, fmt::format("{} cores", *device.units), *device.isa});
  return device;
}

CudaStatus cuda_status() {
  CudaStatus status;
#ifdef NARROWGATE_HAS_CUDA
  status.built = true;
  const cuda::Probe probe = cuda::probe();
  if (!probe.device) {
    status.problem = probe.problem;
    return status;
  }
  const cuda::DeviceInfo& info = *probe.device;
  const auto management = cuda::management_info();
  status.compute_major = info.compute_major;
  status.compute_minor = info.compute_minor;
  const auto version = [](int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); };
  Device device;
  device.model = info.name;
  device.units = info.multiprocessors;
  device.isa = fmt::format("sm_{}{}", info.compute_major, info.compute_minor);
  device.driver = management ? management->driver : "CUDA " + version(info.driver_version);
  device.runtime = version(info.runtime_version);
  std::vector<std::string> facts = {device.model, fmt::format("{} SMs", *device.units), *device.isa,
                                    "driver " + device.driver->substr(0, device.driver->find('.')),
                                    "CUDA " + *device.runtime};
  if (management && management->power_limit_watts > 0) facts.push_back(fmt::format("{:.0f} W", management->power_limit_watts));
  device.key = device_key(facts);
  status.device = device;
#else
  status.problem = "this build has no CUDA kernels (nvcc was not found when it was configured)";
#endif
  return status;
}

RunContext describe_environment(const std::set<Backend>& backends) {
  RunContext context;
  describe_host(context);
  describe_system(context);
  context.version = build_info::kVersion;
  if (!build_info::commit().empty()) {
    context.git_commit = build_info::commit();
    context.git_dirty = build_info::dirty();
  }
  context.compiler = build_info::kCompiler;
  context.flags = build_info::kFlags;
  context.simd_target = simd_target();
  context.threads = omp_get_max_threads();
  const Device cpu = cpu_device();
  if (backends.contains(Backend::kCpu)) context.devices["cpu"] = cpu;
  if (backends.contains(Backend::kSimt)) context.devices["simt"] = cpu;
  if (backends.contains(Backend::kCuda)) {
    if (const auto device = cuda_status().device) context.devices["cuda"] = *device;
  }
  return context;
}

}  // namespace narrowgate
