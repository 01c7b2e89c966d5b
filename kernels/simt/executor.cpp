#include "kernels/simt/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/context/preallocated.hpp>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "kernels/random/philox.h"
#include "kernels/simt/fiber_annotations.h"

namespace narrowgate::simt {
namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = kAddressSanitizer ? 256 * 1024 : 64 * 1024;
constexpr std::size_t kSharedBytes = 228 * 1024;  // the most shared memory any supported device gives a block
constexpr int kPoisonByte = 0xff;                 // NaN as a float, −1 as an integer

std::atomic<std::uint64_t> thread_order_seed{0};

enum class ThreadState { kReady, kAtBarrier, kDone };

// Unwinds a thread whose block has already failed elsewhere.
struct Abandoned {};

// One OS thread's pool of fibers and the block it is running. Fibers live across blocks: making one costs far more
// than switching to it.
class Worker {
 public:
  ~Worker();
  void run_block(const LaunchShape& launch, const std::function<void()>& thread_body, Dim3 block, std::uint64_t order);
  void wait_at_barrier();
  void* shared_memory(const void* site, std::size_t bytes);
  void* dynamic_shared_memory() { return arena_.get(); }
  std::size_t dynamic_shared_bytes() const { return launch_->dynamic_shared_bytes; }
  std::string describe_position() const;

 private:
  struct Thread {
    context::fiber fiber;
    context::stack_context stack;
    ThreadContext seen;
    ThreadState state = ThreadState::kDone;
    void* fake_stack = nullptr;  // AddressSanitizer's, while the fiber is switched out
  };
  struct SharedArray {
    const void* site;
    void* data;
  };

  void prepare_block(Dim3 block);
  void resume(Thread& thread);
  void step_all(std::uint64_t order);
  void abandon_block();
  context::fiber thread_loop(Thread& thread, context::fiber&& scheduler);

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::uint32_t> sequence_;
  std::unique_ptr<std::byte[]> arena_ = std::make_unique<std::byte[]>(kSharedBytes);
  std::size_t arena_used_ = 0;
  std::vector<SharedArray> shared_;
  std::size_t count_ = 0;  // threads of the block that runs
  const LaunchShape* launch_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  Thread* running_ = nullptr;
  context::fiber scheduler_;
  StackBounds scheduler_stack_;
  std::uint64_t barrier_ = 0;  // barriers passed by the block
  std::exception_ptr failure_;
  bool abandoning_ = false;
  bool stopping_ = false;
};

thread_local Worker worker;

Worker::~Worker() {
  stopping_ = true;
  for (const auto& thread : threads_) {
    if (thread->fiber) resume(*thread);  // each fiber returns, so nothing is unwound by force
    context::fixedsize_stack(kStackBytes).deallocate(thread->stack);
  }
}

context::fiber Worker::thread_loop(Thread& thread, context::fiber&& scheduler) {
  scheduler_ = std::move(scheduler);
  finish_switch(nullptr, &scheduler_stack_);
  while (!stopping_) {
    try {
      (*body_)();
    } catch (const Abandoned&) {
    } catch (...) {
      // Exceptions must not cross a switch of fibers; the scheduler rethrows this one.
      if (!failure_) failure_ = std::current_exception();
    }
    thread.state = ThreadState::kDone;
    start_switch(&thread.fake_stack, scheduler_stack_);
    scheduler_ = std::move(scheduler_).resume();
    finish_switch(thread.fake_stack, &scheduler_stack_);
  }
  start_switch(nullptr, scheduler_stack_);  // nullptr: the fiber ends, its fake stack may go
  return std::move(scheduler_);
}

void Worker::resume(Thread& thread) {
  running_ = &thread;
  current_context = &thread.seen;
  void* fake_stack = nullptr;
  start_switch(&fake_stack, {static_cast<std::byte*>(thread.stack.sp) - thread.stack.size, thread.stack.size});
  thread.fiber = std::move(thread.fiber).resume();
  finish_switch(fake_stack, nullptr);
}

void Worker::wait_at_barrier() {
  Thread& thread = *running_;
  thread.state = ThreadState::kAtBarrier;
  start_switch(&thread.fake_stack, scheduler_stack_);
  scheduler_ = std::move(scheduler_).resume();
  finish_switch(thread.fake_stack, &scheduler_stack_);
  if (abandoning_) throw Abandoned{};
}

void Worker::prepare_block(Dim3 block) {
  const Dim3 size = launch_->block;
  count_ = std::size_t{size.x} * size.y * size.z;
  while (threads_.size() < count_) {
    threads_.push_back(std::make_unique<Thread>());
    Thread& thread = *threads_.back();
    context::fixedsize_stack allocator(kStackBytes);
    thread.stack = allocator.allocate();
    thread.fiber = context::fiber(
        std::allocator_arg, context::preallocated(thread.stack.sp, thread.stack.size, thread.stack), NoDeallocation{},
        [this, &thread](context::fiber&& scheduler) { return thread_loop(thread, std::move(scheduler)); });
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const auto id = static_cast<unsigned>(i);
    threads_[i]->seen = {{id % size.x, id / size.x % size.y, id / size.x / size.y}, block, size, launch_->grid};
    threads_[i]->state = ThreadState::kReady;
  }
  // Shared memory is not initialized on a device: poison what the last block used.
  std::memset(arena_.get(), kPoisonByte, std::max(arena_used_, launch_->dynamic_shared_bytes));
  arena_used_ = launch_->dynamic_shared_bytes;
  shared_.clear();
  barrier_ = 0;
  failure_ = nullptr;
  sequence_.resize(count_);
  std::iota(sequence_.begin(), sequence_.end(), 0u);
}

// Runs every thread to its next barrier or its end.
void Worker::step_all(std::uint64_t order) {
  if (order != 0) {
    const RandomStream stream{.seed = order};
    for (std::size_t i = count_; i > 1; --i) {
      std::swap(sequence_[i - 1], sequence_[philox_word(stream, barrier_ * count_ + i) % i]);
    }
  }
  for (const std::uint32_t index : sequence_) {
    if (threads_[index]->state == ThreadState::kDone) continue;
    resume(*threads_[index]);
    if (failure_) return;
  }
}

void Worker::abandon_block() {
  abandoning_ = true;
  for (std::size_t i = 0; i < count_; ++i) {
    if (threads_[i]->state == ThreadState::kAtBarrier) resume(*threads_[i]);
  }
  abandoning_ = false;
}

void Worker::run_block(const LaunchShape& launch, const std::function<void()>& thread_body, Dim3 block,
                       std::uint64_t order) {
  launch_ = &launch;
  body_ = &thread_body;
  prepare_block(block);
  for (;;) {
    step_all(order);
    std::size_t waiting = 0;
    const Thread* gone = nullptr;
    const Thread* at_barrier = nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
      if (threads_[i]->state == ThreadState::kAtBarrier) {
        ++waiting;
        at_barrier = threads_[i].get();
      } else {
        gone = threads_[i].get();
      }
    }
    if (!failure_ && waiting != 0 && waiting != count_) {
      const Dim3 first = at_barrier->seen.thread;
      const Dim3 other = gone->seen.thread;
      failure_ = std::make_exception_ptr(Finding(fmt::format(
          "{}: barrier divergence in block ({}, {}, {}): {} of {} threads wait at barrier {}, thread ({}, {}, {}) "
          "among them, while thread ({}, {}, {}) has returned",
          launch.kernel, block.x, block.y, block.z, waiting, count_, barrier_ + 1, first.x, first.y, first.z, other.x,
          other.y, other.z)));
    }
    if (failure_) {
      abandon_block();
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    if (waiting == 0) return;
    ++barrier_;
  }
}

void* Worker::shared_memory(const void* site, std::size_t bytes) {
  for (const SharedArray& array : shared_) {
    if (array.site == site) return array.data;
  }
  const std::size_t start = (arena_used_ + 15) / 16 * 16;
  if (start + bytes > kSharedBytes) {
    throw Finding(fmt::format("{}: {} bytes of shared memory; a block has at most {}", launch_->kernel, start + bytes,
                              kSharedBytes));
  }
  std::memset(arena_.get() + arena_used_, kPoisonByte, start + bytes - arena_used_);
  arena_used_ = start + bytes;
  shared_.push_back({site, arena_.get() + start});
  return shared_.back().data;
}

std::string Worker::describe_position() const {
  const ThreadContext& at = running_->seen;
  return fmt::format("{}: block ({}, {}, {}), thread ({}, {}, {}), after barrier {}", launch_->kernel, at.block.x,
                     at.block.y, at.block.z, at.thread.x, at.thread.y, at.thread.z, barrier_);
}

}  // namespace

void execute(const LaunchShape& launch, const std::function<void()>& thread_body) {
  const auto blocks = static_cast<std::int64_t>(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z);
  const std::uint64_t order = thread_order_seed.load();
  std::exception_ptr failure;
  std::mutex mutex;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t id = 0; id < blocks; ++id) {
    if (failed) continue;
    const auto index = static_cast<std::uint64_t>(id);
    const Dim3 block{static_cast<unsigned>(index % launch.grid.x),
                     static_cast<unsigned>(index / launch.grid.x % launch.grid.y),
                     static_cast<unsigned>(index / launch.grid.x / launch.grid.y)};
    try {
      worker.run_block(launch, thread_body, block, order == 0 ? 0 : order + index + 1);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

ScopedThreadOrder::ScopedThreadOrder(std::uint64_t seed) : previous_(thread_order_seed.exchange(seed)) {}
ScopedThreadOrder::~ScopedThreadOrder() { thread_order_seed = previous_; }

void barrier() { worker.wait_at_barrier(); }
void* shared_memory(const void* site, std::size_t bytes) { return worker.shared_memory(site, bytes); }
void* dynamic_shared_memory() { return worker.dynamic_shared_memory(); }
std::size_t dynamic_shared_bytes() { return worker.dynamic_shared_bytes(); }

void report_out_of_bounds(const char* array, std::int64_t index, std::int64_t extent) {
  throw Finding(fmt::format("{}: index {} of shared array {} is outside [0, {})", worker.describe_position(), index,
                            array, extent));
}

}  // namespace narrowgate::simt
