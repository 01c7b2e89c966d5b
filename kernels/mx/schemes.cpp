// Microscaling and NVFP4: blocks along k of A's rows and B's columns share a scale, decoded with it exactly
// (decoded/decoded.h). The rules are those of quantize/mx.h.
//
//   nvfp4            E2M1, an E4M3 scale for each 16, one FP32 scale a tensor, applied at the end
//   mxfp4_hadamard   A and B rotated along k by randomized Hadamard matrices of 32 (quantize/hadamard.h), then MXFP4:
//                    A by rceil, B by the scale of least squared error
#include "kernels/formats/all_formats.h"
#include "kernels/quantize/hadamard.h"
#include "kernels/quantize/integer.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/scheme_parts.h"

namespace narrowgate::mx {
namespace {

using quantize::MxRule;

Scheme mx_scheme(std::string_view id, std::string_view title, Quantization quantization) {
  return {.id = id, .family = "mx", .title = title, .accumulation = Accumulation::chain(), .quantization = std::move(quantization)};
}

Scheme microscaled(std::string_view id, std::string_view title, const formats::Format& element, MxRule rule) {
  return mx_scheme(id, title, parts::both(parts::mx(element, rule, BlockAxis::cols), parts::mx(element, rule, BlockAxis::rows)));
}

// The signs are part of the scheme: one fixed stream for A and B.
constexpr RandomStream kSigns{.seed = 32, .tensor = 0x4A5D, .distribution = 0};

Operands with_rotated_data(Operands operands, Matrix<float> a, Matrix<float> b) {
  operands.preparation = Preparation::kRotated;
  operands.encoded_a = std::move(a);
  operands.encoded_b = std::move(b);
  return operands;
}

Quantization rotated(parts::OperandQuantizer quantize_a, parts::OperandQuantizer quantize_b) {
  return {[=](const SchemeInputs& in) -> OrRefusal<Operands> {
            for (const View<const float> x : {in.a, in.b}) {
              if (auto finite = quantize::refuse_non_finite(x); !finite) return tl::unexpected(finite.error());
            }
            Matrix<float> a = quantize::hadamard_rotated(in.a, BlockAxis::cols, kRotationBlock, kSigns);
            Matrix<float> b = quantize::hadamard_rotated(in.b, BlockAxis::rows, kRotationBlock, kSigns);
            auto operands = parts::fit(quantize_a.fast(std::as_const(a).view()), quantize_b.fast(std::as_const(b).view()));
            if (!operands) return operands;
            return with_rotated_data(std::move(*operands), std::move(a), std::move(b));
          },
          [=](const SchemeInputs& in) {
            Matrix<float> a = reference::replay_hadamard_rotated(in.a, BlockAxis::cols, kRotationBlock, kSigns);
            Matrix<float> b = reference::replay_hadamard_rotated(in.b, BlockAxis::rows, kRotationBlock, kSigns);
            Operands operands;
            operands.a = quantize_a.replay(std::as_const(a).view());
            operands.b = quantize_b.replay(std::as_const(b).view());
            return with_rotated_data(std::move(operands), std::move(a), std::move(b));
          }};
}

}  // namespace

extern const Scheme mxfp8_e4m3_floor, mxfp8_e4m3_rceil, mxfp8_e4m3_ceil, mxfp8_e4m3_even, mxfp8_e5m2_floor, mxfp8_e5m2_rceil;
extern const Scheme mxfp6_e2m3_floor, mxfp6_e2m3_rceil, mxfp6_e3m2_floor, mxfp6_e3m2_rceil, mxfp4_floor, mxfp4_rceil;
extern const Scheme mxfp4_ceil, mxfp4_even, mxint8_floor, mxint8_rceil, nvfp4, mxfp4_hadamard;

const Scheme mxfp8_e4m3_floor = microscaled("mx.mxfp8_e4m3.floor.chain", "MX E4M3, blocks of 32, scale by the rule floor", formats::kE4m3, MxRule::floor);
const Scheme mxfp8_e4m3_rceil = microscaled("mx.mxfp8_e4m3.rceil.chain", "MX E4M3, blocks of 32, scale by the rule rceil", formats::kE4m3, MxRule::rceil);
const Scheme mxfp8_e4m3_ceil = microscaled("mx.mxfp8_e4m3.ceil.chain", "MX E4M3, blocks of 32, scale by the rule ceil", formats::kE4m3, MxRule::ceil);
const Scheme mxfp8_e4m3_even = microscaled("mx.mxfp8_e4m3.even.chain", "MX E4M3, blocks of 32, scale by the rule even", formats::kE4m3, MxRule::even);
const Scheme mxfp8_e5m2_floor = microscaled("mx.mxfp8_e5m2.floor.chain", "MX E5M2, blocks of 32, scale by the rule floor", formats::kE5m2, MxRule::floor);
const Scheme mxfp8_e5m2_rceil = microscaled("mx.mxfp8_e5m2.rceil.chain", "MX E5M2, blocks of 32, scale by the rule rceil", formats::kE5m2, MxRule::rceil);
const Scheme mxfp6_e2m3_floor = microscaled("mx.mxfp6_e2m3.floor.chain", "MX E2M3, blocks of 32, scale by the rule floor", formats::kE2m3, MxRule::floor);
const Scheme mxfp6_e2m3_rceil = microscaled("mx.mxfp6_e2m3.rceil.chain", "MX E2M3, blocks of 32, scale by the rule rceil", formats::kE2m3, MxRule::rceil);
const Scheme mxfp6_e3m2_floor = microscaled("mx.mxfp6_e3m2.floor.chain", "MX E3M2, blocks of 32, scale by the rule floor", formats::kE3m2, MxRule::floor);
const Scheme mxfp6_e3m2_rceil = microscaled("mx.mxfp6_e3m2.rceil.chain", "MX E3M2, blocks of 32, scale by the rule rceil", formats::kE3m2, MxRule::rceil);
const Scheme mxfp4_floor = microscaled("mx.mxfp4.floor.chain", "MX E2M1, blocks of 32, scale by the rule floor", formats::kE2m1, MxRule::floor);
const Scheme mxfp4_rceil = microscaled("mx.mxfp4.rceil.chain", "MX E2M1, blocks of 32, scale by the rule rceil", formats::kE2m1, MxRule::rceil);
const Scheme mxfp4_ceil = microscaled("mx.mxfp4.ceil.chain", "MX E2M1, blocks of 32, scale by the rule ceil", formats::kE2m1, MxRule::ceil);
const Scheme mxfp4_even = microscaled("mx.mxfp4.even.chain", "MX E2M1, blocks of 32, scale by the rule even", formats::kE2m1, MxRule::even);
const Scheme mxint8_floor = microscaled("mx.mxint8.floor.chain", "MX INT8, blocks of 32, scale by the rule floor", formats::kMxint8, MxRule::floor);
const Scheme mxint8_rceil = microscaled("mx.mxint8.rceil.chain", "MX INT8, blocks of 32, scale by the rule rceil", formats::kMxint8, MxRule::rceil);
const Scheme nvfp4 = mx_scheme("mx.nvfp4.chain", "NVFP4: E2M1, an E4M3 scale for each 16, one FP32 scale a tensor",
                               parts::both(parts::nvfp4(BlockAxis::cols), parts::nvfp4(BlockAxis::rows)));
const Scheme mxfp4_hadamard = mx_scheme("mx.mxfp4_hadamard.chain", "MXFP4 after a randomized Hadamard rotation of 32 along k",
                                        rotated(parts::mx(formats::kE2m1, MxRule::rceil, BlockAxis::cols),
                                                parts::mx_mse(formats::kE2m1, BlockAxis::rows)));

}  // namespace narrowgate::mx
