// Where a kernel's operands and output live while it runs: host memory or a device's, under one interface.
//
// Every block is placed between guard bands and starts poisoned, so that a write outside a block, an element never
// written and a read of padding all show. A layout pads leading dimensions and offsets pointers: a kernel that is
// right only for dense, aligned operands fails there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"

namespace narrowgate {

// How matrices are laid out for a run, in elements. Codes and values are the same for every layout.
struct Layout {
  std::int64_t ld_padding = 0;  // leading dimension = columns + padding
  std::int64_t offset = 0;      // distance of the first element from an aligned address
  friend bool operator==(const Layout&, const Layout&) = default;
};

// The device's stream of work, as its runtime's handle; nothing on the host.
using Stream = void*;

class Memory {
 public:
  explicit Memory(Layout layout) : layout_(layout) {}
  virtual ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  virtual Stream stream() const { return nullptr; }
  // Waits until all launched work is done. Throws std::runtime_error when the device reports a failure.
  virtual void synchronize() {}

  // Copies a host matrix in; the view is valid where the kernel runs.
  template <class T>
  View<T> place(std::string_view name, View<const T> host) {
    const std::int64_t ld = host.cols + layout_.ld_padding;
    T* data = static_cast<T*>(allocate_matrix(name, host.rows, host.cols, sizeof(T)));
    for (std::int64_t row = 0; row < host.rows; ++row) {
      // A dense matrix goes in one copy: a device pays for each.
      if (ld == host.cols && host.ld == host.cols) {
        write(data, host.data, static_cast<std::size_t>(host.rows * host.cols) * sizeof(T));
        break;
      }
      write(data + row * ld, host.row(row), static_cast<std::size_t>(host.cols) * sizeof(T));
    }
    return {data, host.rows, host.cols, ld};
  }

  // Copies a list in (scales, column sums); never padded or offset.
  template <class T>
  T* place(std::string_view name, std::span<const T> host) {
    T* data = static_cast<T*>(allocate(name, host.size_bytes(), 0));
    if (!host.empty()) write(data, host.data(), host.size_bytes());
    return data;
  }

  // Room for what a kernel keeps between its passes: dense, between guards, poisoned once. No launch may read what an
  // earlier one left there.
  template <class T>
  View<T> scratch(std::string_view name, std::int64_t rows, std::int64_t cols) {
    T* data = static_cast<T*>(allocate_poisoned(name, static_cast<std::size_t>(rows * cols) * sizeof(T)));
    return {data, rows, cols, cols};
  }

  // The output C[m×n]; one for each Memory.
  View<float> output(std::int64_t rows, std::int64_t cols);
  // Overwrites the output, padding included, with a NaN that no kernel produces.
  void poison_output();
  // What the kernel wrote, dense.
  Matrix<float> read_output();

  // In words, each: guard bands that changed, padding of the output that was written. Empty when all is well.
  std::vector<std::string> damage();

  static constexpr std::uint32_t kPoison = 0x7fc0deadu;  // a quiet NaN with a payload

 protected:
  virtual void* raw_allocate(std::size_t bytes) = 0;  // aligned to 256 bytes; freed by the destructor
  virtual void write(void* to, const void* host, std::size_t bytes) = 0;
  virtual void read(void* host, const void* from, std::size_t bytes) = 0;

 private:
  struct Block {
    std::string name;
    std::byte* start;   // of the leading guard band
    std::size_t lead;   // bytes before the payload
    std::size_t bytes;  // of the payload
  };

  void* allocate_matrix(std::string_view name, std::int64_t rows, std::int64_t cols, std::size_t element);
  void* allocate(std::string_view name, std::size_t bytes, std::size_t offset);
  void* allocate_poisoned(std::string_view name, std::size_t bytes);
  void append_padding_damage(std::vector<std::string>& found);

  Layout layout_;
  std::vector<Block> blocks_;
  View<float> output_;
};

// Host memory. SIMT kernels run in it as well.
std::unique_ptr<Memory> make_host_memory(Layout layout);

}  // namespace narrowgate
