// What a worker's findings say.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "kernels/simt/worker.h"

template <>
struct fmt::formatter<narrowgate::simt::Dim3> : fmt::formatter<std::string_view> {
  auto format(const narrowgate::simt::Dim3& at, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "({}, {}, {})", at.x, at.y, at.z);
  }
};

namespace narrowgate::simt {

void Worker::check_source_lane(const Collective& collective, std::uint32_t mask, unsigned lane) const {
  if ((mask & warps_.lanes(running_->seen.index / kWarpSize)) >> lane & 1u) return;
  throw Finding(fmt::format("{}: {} with mask {:#010x} needs lane {}, which the mask or the warp lacks",
                            describe_position(), collective.name, mask, lane));
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
  return fmt::format("{}: warp divergence in block {} after barrier {}: thread {} waits in {} with mask {:#010x}, "
                     "while thread {}, lane {} of warp {}, {}",
                     launch_->kernel, stuck.block, barrier_, stuck.thread, gathering.collective->name, gathering.mask,
                     gone.thread, gone.index % kWarpSize, warp,
                     describe_wait(warp, gone.index % kWarpSize, gathering));
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
  return fmt::format("{}: race in block {} after barrier {}: thread {} {} {}, which thread {} {} with no barrier "
                     "between",
                     launch_->kernel, at.block, barrier_, at.thread, kDoes[static_cast<int>(now)],
                     describe_element(element), threads_[other]->seen.thread, kDid[static_cast<int>(before)]);
}

}  // namespace narrowgate::simt
