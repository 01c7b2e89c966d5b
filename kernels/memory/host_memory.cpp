#include <cstring>

#include "kernels/memory/memory.h"

namespace narrowgate {
namespace {

class HostMemory final : public Memory {
 public:
  using Memory::Memory;
  ~HostMemory() override {
    for (void* pointer : allocations_) ::operator delete(pointer, kAlignment);
  }

 protected:
  void* raw_allocate(std::size_t bytes) override {
    allocations_.push_back(::operator new(bytes, kAlignment));
    return allocations_.back();
  }
  void write(void* to, const void* host, std::size_t bytes) override { std::memcpy(to, host, bytes); }
  void read(void* host, const void* from, std::size_t bytes) override { std::memcpy(host, from, bytes); }

 private:
  static constexpr std::align_val_t kAlignment{256};
  std::vector<void*> allocations_;
};

}  // namespace

std::unique_ptr<Memory> make_host_memory(Layout layout) { return std::make_unique<HostMemory>(layout); }

}  // namespace narrowgate
