#include "kernels/simt/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/context/preallocated.hpp>
#include <cstring>
#include <utility>

#include "kernels/random/philox.h"

namespace narrowgate::simt {
namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = kAddressSanitizer ? 256 * 1024 : 72 * 1024;
// Stacks that begin at equal offsets within a page would fight for the same few sets of the first-level cache.
constexpr std::size_t kStackColour = 320;
constexpr std::size_t kStackColours = 25;
constexpr int kPoisonByte = 0xff;  // NaN as a float, −1 as an integer

// Unwinds a thread whose block has already failed elsewhere.
struct Abandoned {};

thread_local Worker worker;

}  // namespace

Worker& this_worker() { return worker; }
// These two are what kernels do most: here the compiler sees through them, and a thread that waits needs less stack.
void barrier() { worker.wait_at_barrier(); }
void join_warp(const Collective& collective, std::uint32_t mask, void* brought) {
  worker.join_warp(collective, mask, brought);
}

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
    thread.runs_after = kNotByBarriers;
    ++done_;
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
    if (sequence_[turn_]->runs_after <= barrier_) return *sequence_[turn_];
  }
  return scheduler_;
}

void Worker::wait() {
  switch_to(next_in_turn());
  if (abandoning_) throw Abandoned{};
}

void Worker::wait_at_barrier() {
  running_->state = ThreadState::kAtBarrier;
  running_->runs_after = barrier_ + 1;
  ++at_barrier_;
  wait();
}

void Worker::join_warp(const Collective& collective, std::uint32_t mask, void* brought) {
  const unsigned warp = running_->seen.index / kWarpSize, lane = running_->seen.index % kWarpSize;
  check_source_lane(collective, mask, lane);
  Gathering& gathering = warps_.arrive(warp, lane, collective, mask, brought);
  if (gathering.missing != 0) {
    running_->state = ThreadState::kInWarp;
    running_->runs_after = kNotByBarriers;
    ++in_warp_;
    wait();
    return;
  }
  for (std::uint32_t rest = gathering.arrived & ~(1u << lane); rest != 0; rest &= rest - 1) {
    threads_[warp * kWarpSize + static_cast<unsigned>(std::countr_zero(rest))]->runs_after = 0;
    --in_warp_;
  }
  warps_.finish(warp, gathering);
  shadow_.pass_collective(warp);
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
    threads_[i]->seen = {{id % size.x, id / size.x % size.y, id / size.x / size.y}, block, size, launch_->grid, id};
    threads_[i]->state = ThreadState::kFresh;
    threads_[i]->runs_after = 0;
  }
  // Shared memory is not initialized on a device: poison what the last block used.
  std::memset(arena_.get(), kPoisonByte, std::max(arena_used_, launch_->dynamic_shared_bytes));
  arena_used_ = launch_->dynamic_shared_bytes;
  shared_.clear();
  warps_.begin_block(static_cast<unsigned>(count_));
  shadow_.begin_block();
  done_ = at_barrier_ = in_warp_ = 0;
  barrier_ = pass_ = 0;
  failure_ = nullptr;
  sequence_.clear();
  for (std::size_t i = 0; i < count_; ++i) sequence_.push_back(threads_[i].get());
}

// Runs every thread that may run to where it must wait, or to its end.
void Worker::run_all_once(std::uint64_t order) {
  if (order != 0) {
    const RandomStream stream{.seed = order};
    for (std::size_t i = count_; i > 1; --i) {
      std::swap(sequence_[i - 1], sequence_[philox_word(stream, pass_ * count_ + i) % i]);
    }
  }
  ++pass_;
  turn_ = static_cast<std::size_t>(-1);
  Thread& first = next_in_turn();
  if (&first != &scheduler_) switch_to(first);
}

void Worker::abandon_block() {
  abandoning_ = true;
  for (std::size_t i = 0; i < count_; ++i) {
    if (threads_[i]->state != ThreadState::kFresh && threads_[i]->state != ThreadState::kDone) switch_to(*threads_[i]);
  }
  abandoning_ = false;
}

void Worker::run_block(const LaunchShape& launch, const std::function<void()>& thread_body, Dim3 block,
                       std::uint64_t order) {
  launch_ = &launch;
  body_ = &thread_body;
  prepare_block(block);
  for (;;) {
    run_all_once(order);
    const bool is_stuck = done_ + at_barrier_ + in_warp_ == count_;
    if (!failure_ && is_stuck && in_warp_ != 0) {
      failure_ = std::make_exception_ptr(Finding(describe_warp_divergence()));
    } else if (!failure_ && is_stuck && at_barrier_ != 0 && at_barrier_ != count_) {
      failure_ = std::make_exception_ptr(Finding(describe_barrier_divergence()));
    }
    if (failure_) {
      abandon_block();
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    if (done_ == count_) return;
    if (at_barrier_ == count_) {
      at_barrier_ = 0;
      ++barrier_;
      shadow_.pass_barrier();
    }
  }
}

void* Worker::shared_memory(const void* site, std::size_t bytes, const ArrayShape& shape) {
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
  shared_.push_back({site, arena_.get() + start, bytes, shape});
  return shared_.back().data;
}

}  // namespace narrowgate::simt
