// Who last touched each element of a block's shared memory, and when: finds reads of what nobody wrote, and races.
//
// Two accesses of different threads to one element, one of them a write, need a barrier between them; two threads of
// one warp may have a warp collective there instead. Whether they do is decided by time alone, not by the order in
// which the executor runs the threads. Time is counted for each warp in moments: a barrier begins the same new one for
// all warps, a collective one for its own (for all of its lanes, those outside the mask too: such a race is missed).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/simt/executor.h"
#include "kernels/simt/warp_table.h"

namespace narrowgate::simt {

struct ShadowCell {
  std::uint64_t written = 0;      // moments of the last write,
  std::uint64_t read = 0;         // the last read,
  std::uint64_t read_before = 0;  // and a read by another thread, of another warp where there was one
  std::uint16_t writer = 0;
  std::uint16_t reader = 0;
  std::uint16_t reader_before = 0;
  bool is_atomic = false;  // the last write
};

// An element as findings name it.
struct SharedElement {
  const char* array;
  const void* address;
  std::size_t bytes;
};

enum class Access { kRead, kWrite, kAtomic };

// Throws the Finding. `now` is the running thread's access, `before` that of `other`.
[[noreturn]] void report_race(const SharedElement& element, Access now, Access before, unsigned other);
[[noreturn]] void report_uninitialized(const SharedElement& element);

class Shadow {
 public:
  void begin_block() {
    pass_barrier();
    block_start_ = barrier_start_;
  }
  void pass_barrier() {
    barrier_start_ = ++latest_;
    moments_.fill(barrier_start_);
  }
  void pass_collective(unsigned warp) { latest_ = std::max(latest_, ++moments_[warp]); }

  // From now on there is a cell for each byte from `start` on.
  void cover(const void* start, std::size_t bytes) {
    start_ = static_cast<const std::byte*>(start);
    if (cells_ == nullptr) cells_ = std::make_unique<ShadowCell[]>(bytes);
  }

  // An element of a static array has one cell, that of its first byte; one of dynamic memory, which kernels may look at
  // as several types, has the cells of all of its bytes.
  template <std::size_t kCells>
  void read(const SharedElement& element) {
    const unsigned me = current_thread().index;
    ShadowCell* const cells = cells_of(element);
    for (std::size_t i = 0; i < kCells; ++i) read_cell(cells[i], element, me);
  }
  template <std::size_t kCells>
  void write(const SharedElement& element) {
    const unsigned me = current_thread().index;
    ShadowCell* const cells = cells_of(element);
    for (std::size_t i = 0; i < kCells; ++i) write_cell(cells[i], element, me, Access::kWrite);
  }
  template <std::size_t kCells>
  void update_atomically(const SharedElement& element) {
    const unsigned me = current_thread().index;
    ShadowCell* const cells = cells_of(element);
    for (std::size_t i = 0; i < kCells; ++i) {
      if (cells[i].written < block_start_) report_uninitialized(element);
      write_cell(cells[i], element, me, Access::kAtomic);
    }
  }

 private:
  ShadowCell* cells_of(const SharedElement& element) const {
    return &cells_[static_cast<std::size_t>(static_cast<const std::byte*>(element.address) - start_)];
  }
  bool races(std::uint64_t moment, unsigned other, unsigned me) const {
    return moment >= barrier_start_ && other != me &&
           (other / kWarpSize != me / kWarpSize || moment == moments_[me / kWarpSize]);
  }

  void read_cell(ShadowCell& cell, const SharedElement& element, unsigned me) const {
    if (cell.written < block_start_) [[unlikely]] report_uninitialized(element);
    if (races(cell.written, cell.writer, me)) [[unlikely]] {
      report_race(element, Access::kRead, cell.is_atomic ? Access::kAtomic : Access::kWrite, cell.writer);
    }
    if (cell.reader != me) remember_reader(cell, me);
    cell.read = moments_[me / kWarpSize];
    cell.reader = static_cast<std::uint16_t>(me);
  }
  void write_cell(ShadowCell& cell, const SharedElement& element, unsigned me, Access access) const {
    const bool are_both_atomic = access == Access::kAtomic && cell.is_atomic;
    if (!are_both_atomic && races(cell.written, cell.writer, me)) [[unlikely]] {
      report_race(element, access, cell.is_atomic ? Access::kAtomic : Access::kWrite, cell.writer);
    }
    if (races(cell.read, cell.reader, me)) [[unlikely]] report_race(element, access, Access::kRead, cell.reader);
    if (races(cell.read_before, cell.reader_before, me)) [[unlikely]] {
      report_race(element, access, Access::kRead, cell.reader_before);
    }
    cell.written = moments_[me / kWarpSize];
    cell.writer = static_cast<std::uint16_t>(me);
    cell.is_atomic = access == Access::kAtomic;
  }
  // Two readers are enough where they are of different warps: whoever writes next is of another warp than one of them.
  void remember_reader(ShadowCell& cell, unsigned me) const {
    const bool is_of_other_warp = cell.reader / kWarpSize != me / kWarpSize;
    const bool has_one_of_other_warp =
        cell.read_before >= barrier_start_ && cell.reader_before / kWarpSize != me / kWarpSize;
    if (!is_of_other_warp && has_one_of_other_warp) return;
    cell.read_before = cell.read;
    cell.reader_before = cell.reader;
  }

  std::uint64_t block_start_ = 0;    // the moments at which the block began
  std::uint64_t barrier_start_ = 0;  // and at which it passed its last barrier
  std::uint64_t latest_ = 0;
  std::array<std::uint64_t, 32> moments_{};  // of each warp: a block has at most 1024 threads
  const std::byte* start_ = nullptr;
  std::unique_ptr<ShadowCell[]> cells_;
};

// The extents of a static array, for findings.
struct ArrayShape {
  int rank = 0;
  std::int64_t extents[4] = {};
};

// shared_memory() and dynamic_shared_memory() for a kernel that runs checked.
void* checked_shared_memory(const void* site, const ArrayShape& shape, std::size_t bytes);
void* checked_dynamic_shared_memory();
Shadow& current_shadow();

}  // namespace narrowgate::simt
