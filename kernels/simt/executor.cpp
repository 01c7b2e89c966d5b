#include "kernels/simt/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
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
#include "kernels/simt/shadow.h"

template <>
struct fmt::formatter<narrowgate::simt::Dim3> : fmt::formatter<std::string_view> {
  auto format(const narrowgate::simt::Dim3& at, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "({}, {}, {})", at.x, at.y, at.z);
  }
};

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

enum class ThreadState {
  kFresh,     // has not begun
  kReady,     // may go on
  kAtBarrier,
  kInWarp,    // waits in a collective of its warp
  kDone,
};
bool may_run(ThreadState state) { return state <= ThreadState::kReady; }

// Unwinds a thread whose block has already failed elsewhere.
struct Abandoned {};

// One OS thread's pool of fibers and the block it is running. Fibers live across blocks: making one costs far more
// than switching to it.
class Worker {
 public:
  ~Worker();
  void run_block(const LaunchShape& launch, const std::function<void()>& thread_body, Dim3 block, std::uint64_t order);
  void wait_at_barrier();
  void join_warp(const Collective& collective, std::uint32_t mask, void* brought);
  void check_source_lane(const Collective& collective, std::uint32_t mask, unsigned lane) const;
  void* shared_memory(const void* site, std::size_t bytes, const ArrayShape& shape);
  void* dynamic_shared_memory() { return arena_.get(); }
  void cover_with_shadow() { shadow_.cover(arena_.get(), kSharedBytes); }
  Shadow& shadow() { return shadow_; }
  std::size_t dynamic_shared_bytes() const { return launch_->dynamic_shared_bytes; }
  std::string describe_position() const;
  std::string describe_race(const SharedElement& element, Access now, Access before, unsigned other) const;
  std::string describe_element(const SharedElement& element) const;

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
    std::byte* data;
    std::size_t bytes;
    ArrayShape shape;  // of a kernel that runs checked
  };

  void prepare_block(Dim3 block);
  void switch_to(Thread& target);
  void arrive(context::fiber&& from);
  Thread& next_in_turn();
  void wait();
  void run_all_once(std::uint64_t order);
  void release_barrier();
  std::string describe_barrier_divergence() const;
  std::string describe_warp_divergence() const;
  std::string describe_wait(unsigned warp, unsigned lane, const Gathering& since) const;
  void abandon_block();
  context::fiber thread_loop(Thread& thread, context::fiber&& from);

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Thread*> sequence_;  // the order in which the threads of the block take turns
  std::unique_ptr<std::byte[]> arena_ = std::make_unique<std::byte[]>(kSharedBytes);
  std::size_t arena_used_ = 0;
  std::vector<SharedArray> shared_;
  std::size_t count_ = 0;  // threads of the block that runs: done, at a barrier, in a collective, or ready
  std::size_t done_ = 0;
  std::size_t at_barrier_ = 0;
  std::size_t in_warp_ = 0;
  WarpTable warps_;
  Shadow shadow_;
  const LaunchShape* launch_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  Thread scheduler_;  // the OS thread's own stack
  Thread* running_ = &scheduler_;
  Thread* left_ = nullptr;  // who switched to whoever runs now
  std::size_t turn_ = 0;    // index in sequence_ of the thread that runs
  std::uint64_t barrier_ = 0;  // barriers passed by the block
  std::uint64_t pass_ = 0;     // rounds of turns taken by its threads
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
    if (may_run(sequence_[turn_]->state)) return *sequence_[turn_];
  }
  return scheduler_;
}

void Worker::wait() {
  switch_to(next_in_turn());
  if (abandoning_) throw Abandoned{};
}

void Worker::wait_at_barrier() {
  running_->state = ThreadState::kAtBarrier;
  ++at_barrier_;
  wait();
}

void Worker::join_warp(const Collective& collective, std::uint32_t mask, void* brought) {
  const unsigned warp = running_->seen.index / kWarpSize, lane = running_->seen.index % kWarpSize;
  check_source_lane(collective, mask, lane);
  Gathering& gathering = warps_.arrive(warp, lane, collective, mask, brought);
  if (gathering.missing != 0) {
    running_->state = ThreadState::kInWarp;
    ++in_warp_;
    wait();
    return;
  }
  for (std::uint32_t rest = gathering.arrived & ~(1u << lane); rest != 0; rest &= rest - 1) {
    threads_[warp * kWarpSize + static_cast<unsigned>(std::countr_zero(rest))]->state = ThreadState::kReady;
    --in_warp_;
  }
  warps_.finish(warp, gathering);
  shadow_.pass_collective(warp);
}

void Worker::check_source_lane(const Collective& collective, std::uint32_t mask, unsigned lane) const {
  if ((mask & warps_.lanes(running_->seen.index / kWarpSize)) >> lane & 1u) return;
  throw Finding(fmt::format("{}: {} with mask {:#010x} needs lane {}, which the mask or the warp lacks", describe_position(),
                            collective.name, mask, lane));
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

void Worker::release_barrier() {
  for (std::size_t i = 0; i < count_; ++i) threads_[i]->state = ThreadState::kReady;
  at_barrier_ = 0;
  ++barrier_;
  shadow_.pass_barrier();
}

void Worker::abandon_block() {
  abandoning_ = true;
  for (std::size_t i = 0; i < count_; ++i) {
    if (threads_[i]->state != ThreadState::kFresh && threads_[i]->state != ThreadState::kDone) switch_to(*threads_[i]);
  }
  abandoning_ = false;
}

std::string Worker::describe_barrier_divergence() const {
  const auto first_in = [&](ThreadState state) -> const ThreadContext& {
    return std::find_if(threads_.begin(), threads_.end(), [&](const auto& thread) { return thread->state == state; })
        ->get()->seen;
  };
  const ThreadContext& stuck = first_in(ThreadState::kAtBarrier);
  return fmt::format("{}: barrier divergence in block {}: {} of {} threads wait at barrier {}, thread {} among them, "
                     "while thread {} has returned",
                     launch_->kernel, stuck.block, at_barrier_, count_, barrier_ + 1, stuck.thread,
                     first_in(ThreadState::kDone).thread);
}

// What keeps a lane from joining the gathering.
std::string Worker::describe_wait(unsigned warp, unsigned lane, const Gathering& since) const {
  switch (threads_[warp * kWarpSize + lane]->state) {
    case ThreadState::kDone: return "has returned";
    case ThreadState::kAtBarrier: return fmt::format("waits at barrier {}", barrier_ + 1);
    default: break;
  }
  for (const Gathering& other : warps_.waiting(warp)) {
    if (&other != &since && (other.arrived >> lane & 1u) != 0) {
      return fmt::format("waits in {} with mask {:#010x}", other.collective->name, other.mask);
    }
  }
  return "never comes";
}

std::string Worker::describe_warp_divergence() const {
  unsigned warp = 0;
  while (warps_.waiting(warp).empty()) ++warp;
  const Gathering& gathering = warps_.waiting(warp).front();
  const auto thread_of = [&](std::uint32_t lanes) -> const ThreadContext& {
    return threads_[warp * kWarpSize + static_cast<unsigned>(std::countr_zero(lanes))]->seen;
  };
  const ThreadContext& stuck = thread_of(gathering.arrived);
  const ThreadContext& gone = thread_of(gathering.missing);
  return fmt::format("{}: warp divergence in block {} after barrier {}: thread {} waits in {} with mask {:#010x}, while "
                     "thread {}, lane {} of warp {}, {}",
                     launch_->kernel, stuck.block, barrier_, stuck.thread, gathering.collective->name, gathering.mask,
                     gone.thread, gone.index % kWarpSize, warp,
                     describe_wait(warp, gone.index % kWarpSize, gathering));
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
    if (at_barrier_ == count_) release_barrier();
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

std::string Worker::describe_position() const {
  const ThreadContext& at = running_->seen;
  return fmt::format("{}: block {}, thread {}, after barrier {}", launch_->kernel, at.block, at.thread, barrier_);
}

// "tile[3][0]": the indices within the array that holds the address; dynamic memory has one.
std::string Worker::describe_element(const SharedElement& element) const {
  const auto* const address = static_cast<const std::byte*>(element.address);
  for (const SharedArray& array : shared_) {
    if (address < array.data || address >= array.data + array.bytes) continue;
    auto rest = (address - array.data) / static_cast<std::int64_t>(element.bytes);
    std::string indices;
    for (int i = array.shape.rank - 1; i >= 0; --i) {
      indices = fmt::format("[{}]{}", rest % array.shape.extents[i], indices);
      rest /= array.shape.extents[i];
    }
    return element.array + indices;
  }
  return fmt::format("{}[{}]", element.array, (address - arena_.get()) / static_cast<std::int64_t>(element.bytes));
}

std::string Worker::describe_race(const SharedElement& element, Access now, Access before, unsigned other) const {
  constexpr std::string_view kDoes[] = {"reads", "writes", "updates atomically"};
  constexpr std::string_view kDid[] = {"has read", "has written", "has updated atomically"};
  const ThreadContext& at = running_->seen;
  return fmt::format("{}: race in block {} after barrier {}: thread {} {} {}, which thread {} {} with no barrier between",
                     launch_->kernel, at.block, barrier_, at.thread, kDoes[static_cast<int>(now)],
                     describe_element(element), threads_[other]->seen.thread, kDid[static_cast<int>(before)]);
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
void join_warp(const Collective& collective, std::uint32_t mask, void* brought) {
  worker.join_warp(collective, mask, brought);
}
void check_source_lane(const Collective& collective, std::uint32_t mask, unsigned lane) {
  worker.check_source_lane(collective, mask, lane);
}
void* shared_memory(const void* site, std::size_t bytes) { return worker.shared_memory(site, bytes, {}); }
void* dynamic_shared_memory() { return worker.dynamic_shared_memory(); }
std::size_t dynamic_shared_bytes() { return worker.dynamic_shared_bytes(); }

void report_out_of_bounds(const char* array, std::int64_t index, std::int64_t extent) {
  throw Finding(fmt::format("{}: index {} of shared array {} is outside [0, {})", worker.describe_position(), index,
                            array, extent));
}

void* checked_shared_memory(const void* site, const ArrayShape& shape, std::size_t bytes) {
  worker.cover_with_shadow();
  return worker.shared_memory(site, bytes, shape);
}
void* checked_dynamic_shared_memory() {
  worker.cover_with_shadow();
  return worker.dynamic_shared_memory();
}
Shadow& current_shadow() { return worker.shadow(); }

void report_race(const SharedElement& element, Access now, Access before, unsigned other) {
  throw Finding(worker.describe_race(element, now, before, other));
}
void report_uninitialized(const SharedElement& element) {
  throw Finding(fmt::format("{}: {} is read before any thread has written it", worker.describe_position(),
                            worker.describe_element(element)));
}

void report_misaligned(const char* array, std::int64_t index, std::size_t bytes) {
  throw Finding(fmt::format("{}: an access of {} bytes at index {} of shared array {} is not aligned to its size",
                            worker.describe_position(), bytes, index, array));
}

}  // namespace narrowgate::simt
