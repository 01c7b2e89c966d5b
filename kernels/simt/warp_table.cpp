#include "kernels/simt/warp_table.h"

#include <algorithm>

namespace narrowgate::simt {

void WarpTable::begin_block(unsigned threads) {
  threads_ = threads;
  if (warps_.size() < size()) warps_.resize(size());
  for (std::vector<Gathering>& warp : warps_) warp.clear();
}

std::uint32_t WarpTable::lanes(unsigned warp) const {
  const unsigned rest = threads_ - warp * kWarpSize;
  return rest >= kWarpSize ? ~0u : (1u << rest) - 1;
}

Gathering& WarpTable::arrive(unsigned warp, unsigned lane, const Collective& collective, std::uint32_t mask,
                             void* brought) {
  std::vector<Gathering>& waiting = warps_[warp];
  auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Gathering& gathering) {
    return gathering.collective == &collective && gathering.mask == mask;
  });
  if (found == waiting.end()) found = waiting.insert(found, {&collective, mask, mask & lanes(warp), 0, {}});
  found->missing &= ~(1u << lane);
  found->arrived |= 1u << lane;
  found->brought[lane] = brought;
  return *found;
}

void WarpTable::finish(unsigned warp, Gathering& gathering) {
  gathering.collective->finish(gathering.brought);
  std::vector<Gathering>& waiting = warps_[warp];
  waiting.erase(waiting.begin() + (&gathering - waiting.data()));
}

}  // namespace narrowgate::simt
