// What schemes are made of: quantizers of one operand, each with its replay, and ways of fitting two together.
#pragma once

#include "kernels/kernel.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/mx.h"

namespace narrowgate::parts {

struct OperandQuantizer {
  std::function<OrRefusal<QuantizedMatrix>(View<const float>)> fast;
  std::function<QuantizedMatrix(View<const float>)> replay;
};

OperandQuantizer fp32();
OperandQuantizer fp16();
// INT8 with FP32 scales: x̂ = s·q, or s·(q − z) with codes 0…255.
OperandQuantizer int8(Granularity granularity);
OperandQuantizer int8_with_zero_point(Granularity granularity);
// Integers of any width: symmetric, with zero points where `element` is unsigned, ternary and binary by their means.
OperandQuantizer integers(const formats::Format& element, Granularity granularity, quantize::ScaleStorage storage);
OperandQuantizer mse_clipped(const formats::Format& element, std::int64_t group);
OperandQuantizer hqq(const formats::Format& element, std::int64_t group);
OperandQuantizer scaled_float(const formats::Format& element, Granularity granularity);
OperandQuantizer mx(const formats::Format& element, quantize::MxRule rule, BlockAxis k_axis);
OperandQuantizer mx_mse(const formats::Format& element, BlockAxis k_axis);
OperandQuantizer nvfp4(BlockAxis k_axis);

// A and B, each on its own.
Quantization both(OperandQuantizer a, OperandQuantizer b);
// The same, with B pruned 2 of 4 along k before it is quantized.
Quantization pruned24(OperandQuantizer a, OperandQuantizer b);

// The same scheme with one more step in its epilogue.
Scheme with_fp16_output(Scheme scheme);
Scheme with_bias(Scheme scheme);

// For codes that are not the nearest within min–max.
OrRefusal<QuantizedMatrix> marked_own_codes(OrRefusal<QuantizedMatrix> quantized);

// The refusal of one operand, with its name in front.
OrRefusal<Operands> fit(OrRefusal<QuantizedMatrix> a, OrRefusal<QuantizedMatrix> b);

// Quantizers that run offline are pinned, and replayed in full, up to this k.
inline constexpr std::int64_t kMaxOfflineDepth = 1024;
std::optional<std::string> refuses_deeper_than_offline(Shape shape);

}  // namespace narrowgate::parts
