// Runs the blocks of a launch that fall to one OS thread, one after another: a fiber for each thread of a block.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/simt/executor.h"
#include "kernels/simt/fiber_annotations.h"
#include "kernels/simt/shadow.h"
#include "kernels/simt/warp_table.h"

namespace narrowgate::simt {


// Where a thread last stopped.
enum class ThreadState { kFresh, kAtBarrier, kInWarp, kDone };

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
    // What every switch reads lies together.
    boost::context::fiber fiber;   // where it goes on; empty while it runs
    std::uint64_t runs_after = 0;  // may run when the block has passed so many barriers
    ThreadState state = ThreadState::kDone;
    ThreadContext seen;
    boost::context::stack_context stack;
    StackBounds bounds;
    void* fake_stack = nullptr;  // AddressSanitizer's, while the fiber is switched out
  };
  // runs_after of a thread that is done, or in a collective.
  static constexpr std::uint64_t kNotByBarriers = ~std::uint64_t{0};

  struct SharedArray {
    const void* site;
    std::byte* data;
    std::size_t bytes;
    ArrayShape shape;  // of a kernel that runs checked
  };

  void prepare_block(Dim3 block);
  void switch_to(Thread& target);
  void arrive(boost::context::fiber&& from);
  Thread& next_in_turn();
  void wait();
  void run_all_once(std::uint64_t order);
  std::string describe_barrier_divergence() const;
  std::string describe_warp_divergence() const;
  std::string describe_wait(unsigned warp, unsigned lane, const Gathering& since) const;
  void abandon_block();
  boost::context::fiber thread_loop(Thread& thread, boost::context::fiber&& from);

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

// That of the running OS thread.
Worker& this_worker();

}  // namespace narrowgate::simt
