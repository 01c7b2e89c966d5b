#include "kernels/cuda/device.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace narrowgate::cuda {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
  }
}

class DeviceMemory final : public Memory {
 public:
  explicit DeviceMemory(Layout layout) : Memory(layout) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~DeviceMemory() override {
    for (void* pointer : allocations_) cudaFree(pointer);
    cudaStreamDestroy(stream_);
  }

  Stream stream() const override { return stream_; }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "the kernel failed"); }

 protected:
  void* raw_allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    check(cudaMalloc(&pointer, bytes), "cudaMalloc");
    allocations_.push_back(pointer);
    return pointer;
  }
  void write(void* to, const void* host, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
    check(cudaStreamSynchronize(stream_), "copy to the device");
  }
  void read(void* host, const void* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream_), "copy from the device");
    check(cudaStreamSynchronize(stream_), "copy from the device");
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<void*> allocations_;
};

}  // namespace

Probe probe() {
  Probe result;
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    result.problem = status == cudaSuccess ? "no CUDA device is present" : cudaGetErrorString(status);
    return result;
  }
  cudaDeviceProp properties{};
  DeviceInfo info;
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, 0); status != cudaSuccess) {
    result.problem = cudaGetErrorString(status);
    return result;
  }
  info.name = properties.name;
  info.multiprocessors = properties.multiProcessorCount;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.memory_bytes = properties.totalGlobalMem;
  cudaDriverGetVersion(&info.driver_version);
  cudaRuntimeGetVersion(&info.runtime_version);
  result.device = info;
  return result;
}

std::unique_ptr<Memory> make_device_memory(Layout layout) { return std::make_unique<DeviceMemory>(layout); }

void check_launch(std::string_view kernel) {
  check(cudaGetLastError(), ("launch of " + std::string(kernel)).c_str());
}

namespace {

int attribute_or(cudaDeviceAttr attribute, int fallback) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess ? value : fallback;
}

}  // namespace

std::size_t dynamic_shared_limit() {
  static const int limit = attribute_or(cudaDevAttrMaxSharedMemoryPerBlockOptin, 48 * 1024);
  return static_cast<std::size_t>(limit);
}

unsigned multiprocessor_count() {
  static const int count = attribute_or(cudaDevAttrMultiProcessorCount, 1);
  return static_cast<unsigned>(count);
}

void allow_dynamic_shared(const void* kernel, std::size_t bytes, std::string_view name) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        ("shared memory of " + std::string(name)).c_str());
}

struct Timer::State {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;
};

Timer::Timer(Stream stream) : state_(std::make_unique<State>()) {
  state_->stream = static_cast<cudaStream_t>(stream);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  state_->scratch_bytes = 2 * static_cast<std::size_t>(properties.l2CacheSize);
  check(cudaMalloc(&state_->scratch, state_->scratch_bytes), "cudaMalloc");
  check(cudaEventCreate(&state_->begin), "cudaEventCreate");
  check(cudaEventCreate(&state_->end), "cudaEventCreate");
}

Timer::~Timer() {
  cudaFree(state_->scratch);
  cudaEventDestroy(state_->begin);
  cudaEventDestroy(state_->end);
}

double Timer::sample_cold(const std::function<void()>& launch) {
  check(cudaMemsetAsync(state_->scratch, 0x5a, state_->scratch_bytes, state_->stream), "flush of L2");
  check(cudaEventRecord(state_->begin, state_->stream), "cudaEventRecord");
  launch();
  check(cudaEventRecord(state_->end, state_->stream), "cudaEventRecord");
  check(cudaEventSynchronize(state_->end), "the kernel failed");
  float milliseconds = 0.0f;
  check(cudaEventElapsedTime(&milliseconds, state_->begin, state_->end), "cudaEventElapsedTime");
  return double{milliseconds} * 1e6;
}

}  // namespace narrowgate::cuda
