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
#include <utility>
#include <vector>

#include "kernels/random/philox.h"
#include "kernels/simt/fiber_annotations.h"

namespace narrowgate::simt {
namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = kAddressSanitizer ? 256 * 1024 : 72 * 1024;
// Stacks that begin at equal offsets within a page would fight for the same few sets of the first-level cache.
constexpr std::size_t kStackColour = 320;
constexpr std::size_t kStackColours = 25;
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
    context::fiber fiber;  // where it goes on; empty while it runs
    context::stack_context stack;
    StackBounds bounds;
    ThreadContext seen;
    ThreadState state = ThreadState::kDone;
    void* fake_stack = nullptr;  // AddressSanitizer's, while the fiber is switched out
  };
  struct SharedArray {
    const void* site;
    void* data;
  };

  void prepare_block(Dim3 block);
  void switch_to(Thread& target);
  void arrive(context::fiber&& from);
  Thread& next_in_turn();
  std::size_t step_all(std::uint64_t order);
  void report_divergence(std::size_t waiting);
  void abandon_block();
  context::fiber thread_loop(Thread& thread, context::fiber&& from);

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Thread*> sequence_;  // the order in which the threads of the block take turns
  std::unique_ptr<std::byte[]> arena_ = std::make_unique<std::byte[]>(kSharedBytes);
  std::size_t arena_used_ = 0;
  std::vector<SharedArray> shared_;
  std::size_t count_ = 0;  // threads of the block that runs
  const LaunchShape* launch_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  Thread scheduler_;  // the OS thread's own stack
  Thread* running_ = &scheduler_;
  Thread* left_ = nullptr;  // who switched to whoever runs now
  std::size_t turn_ = 0;    // index in sequence_ of the thread that runs
  std::uint64_t barrier_ = 0;  // barriers passed by the block
  std::exception_ptr failure_;
  bool abandoning_ = false;
  bool stopping_ = false;
};

thread_local Worker worker;

Worker::~Worker() {
  stopping_ = true;
  for (const auto& thread : threads_) {
    if (thread->fiber) switch_to(*thread);  // each fiber returns, so nothing is unwound by force
    context::fixedsize_stack(kStackBytes).deallocate(thread->stack);
  }
}

// Leaves the running thread's stack for that of `target`; returns when somebody switches back.
void Worker::switch_to(Thread& target) {
  Thread& self = *running_;
  left_ = &self;
  running_ = &target;
  current_context = &target.seen;
  start_switch(&self.fake_stack, target.bounds);
  context::fiber from = std::move(target.fiber).resume();
  finish_switch(self.fake_stack, left_ == &scheduler_ ? &scheduler_.bounds : nullptr);
  arrive(std::move(from));
}

// The continuation of whoever switched here is known only here.
void Worker::arrive(context::fiber&& from) { left_->fiber = std::move(from); }

context::fiber Worker::thread_loop(Thread& thread, context::fiber&& from) {
  finish_switch(nullptr, left_ == &scheduler_ ? &scheduler_.bounds : nullptr);
  arrive(std::move(from));
  while (!stopping_) {
    try {
      (*body_)();
    } catch (const Abandoned&) {
    } catch (...) {
      // Exceptions must not cross a switch of fibers; the scheduler rethrows this one.
      if (!failure_) failure_ = std::current_exception();
    }
    thread.state = ThreadState::kDone;
    switch_to(next_in_turn());
  }
  running_ = &scheduler_;
  start_switch(nullptr, scheduler_.bounds);  // nullptr: the fiber ends, its fake stack may go
  return std::move(scheduler_.fiber);
}

// Threads hand over to each other, which saves every second switch; the last one hands over to the scheduler.
Worker::Thread& Worker::next_in_turn() {
  if (failure_ || abandoning_) return scheduler_;
  while (++turn_ < sequence_.size()) {
    if (sequence_[turn_]->state != ThreadState::kDone) return *sequence_[turn_];
  }
  return scheduler_;
}

void Worker::wait_at_barrier() {
  running_->state = ThreadState::kAtBarrier;
  switch_to(next_in_turn());
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
    thread.bounds = {static_cast<std::byte*>(thread.stack.sp) - thread.stack.size, thread.stack.size};
    const std::size_t colour = threads_.size() % kStackColours * kStackColour;
    void* const top = static_cast<std::byte*>(thread.stack.sp) - colour;
    thread.fiber = context::fiber(
        std::allocator_arg, context::preallocated(top, thread.stack.size - colour, thread.stack), NoDeallocation{},
        [this, &thread](context::fiber&& from) { return thread_loop(thread, std::move(from)); });
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
  sequence_.clear();
  for (std::size_t i = 0; i < count_; ++i) sequence_.push_back(threads_[i].get());
}

// Runs every thread to its next barrier or its end; returns how many wait at the barrier.
std::size_t Worker::step_all(std::uint64_t order) {
  if (order != 0) {
    const RandomStream stream{.seed = order};
    for (std::size_t i = count_; i > 1; --i) {
      std::swap(sequence_[i - 1], sequence_[philox_word(stream, barrier_ * count_ + i) % i]);
    }
  }
  turn_ = static_cast<std::size_t>(-1);
  Thread& first = next_in_turn();
  if (&first != &scheduler_) switch_to(first);
  return static_cast<std::size_t>(std::count_if(
      sequence_.begin(), sequence_.end(), [](const Thread* thread) { return thread->state == ThreadState::kAtBarrier; }));
}

void Worker::abandon_block() {
  abandoning_ = true;
  for (std::size_t i = 0; i < count_; ++i) {
    if (threads_[i]->state == ThreadState::kAtBarrier) switch_to(*threads_[i]);
  }
  abandoning_ = false;
}

void Worker::report_divergence(std::size_t waiting) {
  const auto first_in = [&](ThreadState state) {
    return std::find_if(threads_.begin(), threads_.end(), [&](const auto& thread) { return thread->state == state; })
        ->get()->seen;
  };
  const ThreadContext stuck = first_in(ThreadState::kAtBarrier);
  const ThreadContext gone = first_in(ThreadState::kDone);
  failure_ = std::make_exception_ptr(Finding(fmt::format(
      "{}: barrier divergence in block ({}, {}, {}): {} of {} threads wait at barrier {}, thread ({}, {}, {}) among "
      "them, while thread ({}, {}, {}) has returned",
      launch_->kernel, stuck.block.x, stuck.block.y, stuck.block.z, waiting, count_, barrier_ + 1, stuck.thread.x,
      stuck.thread.y, stuck.thread.z, gone.thread.x, gone.thread.y, gone.thread.z)));
}

void Worker::run_block(const LaunchShape& launch, const std::function<void()>& thread_body, Dim3 block,
                       std::uint64_t order) {
  launch_ = &launch;
  body_ = &thread_body;
  prepare_block(block);
  for (;;) {
    const std::size_t waiting = step_all(order);
    if (!failure_ && waiting != 0 && waiting != count_) report_divergence(waiting);
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

// Spreads `runs` runs over the grid's blocks, the first and the last (with its tails) among them.
std::uint64_t block_of_run(std::uint64_t run, std::uint64_t runs, std::uint64_t blocks) {
  return runs == blocks ? run : run * (blocks - 1) / (runs - 1);
}

}  // namespace

void execute(const LaunchShape& launch, const std::function<void()>& thread_body) {
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const std::uint64_t order = thread_order_seed.load();
  const bool sampled = order != 0 && blocks > ScopedThreadOrder::kSampledBlocks;
  const auto runs = static_cast<std::int64_t>(sampled ? ScopedThreadOrder::kSampledBlocks : blocks);
  std::exception_ptr failure;
  std::mutex mutex;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t run = 0; run < runs; ++run) {
    if (failed) continue;
    const std::uint64_t index = block_of_run(static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(runs), blocks);
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
