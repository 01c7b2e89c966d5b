#include "kernels/epilogue.h"

#include <algorithm>

namespace narrowgate {
namespace {

bool all_ones(const std::vector<float>& scales) {
  return std::all_of(scales.begin(), scales.end(), [](float scale) { return scale == 1.0f; });
}

}  // namespace

Epilogue place_epilogue(const Operands& operands, Memory& memory) {
  Epilogue epilogue;
  const std::vector<float> a_scales = epilogue_scales(operands.a, BlockAxis::cols, operands.accumulation);
  const std::vector<float> b_scales = epilogue_scales(operands.b, BlockAxis::rows, operands.accumulation);
  if (!all_ones(a_scales) || !all_ones(b_scales)) {
    epilogue.a_scales = memory.place("scales of A", std::span<const float>(a_scales));
    epilogue.b_scales = memory.place("scales of B", std::span<const float>(b_scales));
    epilogue.a_stride = a_scales.size() > 1 ? 1 : 0;
    epilogue.b_stride = b_scales.size() > 1 ? 1 : 0;
  }
  if (!operands.bias.empty()) epilogue.bias = memory.place("bias", std::span<const float>(operands.bias));
  epilogue.output = operands.output;
  return epilogue;
}

}  // namespace narrowgate
