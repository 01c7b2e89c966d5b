#include "kernels/fp32/fp32.h"
#include "kernels/quantize/integer.h"

namespace narrowgate::fp32 {
namespace {

QuantizedMatrix as_is(View<const float> x) {
  QuantizedMatrix result;
  result.values = Matrix<float>(x.rows, x.cols);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t col = 0; col < x.cols; ++col) result.values(row, col) = x(row, col);
  }
  result.scales = {1.0f};
  return result;
}

Operands both_as_is(View<const float> a, View<const float> b) { return {as_is(a), as_is(b), {}}; }

OrRefusal<Operands> quantize_nothing(View<const float> a, View<const float> b) {
  for (const View<const float> x : {a, b}) {
    if (auto finite = quantize::refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
  }
  return both_as_is(a, b);
}

std::optional<std::string> refuses_nothing(Shape) { return std::nullopt; }

}  // namespace

extern const Scheme chain;
const Scheme chain = {.id = "fp32.chain",
                      .family = "fp32",
                      .title = "FP32, one fused multiply-add chain over ascending k",
                      .accumulation = reference::Accumulation::kFloatChain,
                      .day98_gate = Day98Gate::kMeasuredOnly,
                      .replay_quantize = both_as_is,
                      .quantize = quantize_nothing,
                      .refuses = refuses_nothing};

Arguments place(const Operands& operands, View<float> c, Memory& memory) {
  return {memory.place("A", operands.a.values.view()), memory.place("B", operands.b.values.view()), c};
}

}  // namespace narrowgate::fp32
