// Weight-only schemes: activations in FP16, weights as integers with FP16 scales, sums in FP32 (decoded/decoded.h).
//
//   w8a16   b̂ = q; acc = fma(q, x, acc), then acc · s: one scale for each column, in the epilogue
//   w4a16, w2a16, w1a16   b̂ = (q − z)·s: a scale, and a zero point for "_zp", for each group of 128, 64 or 32 along k.
//           s is FP16 and z an integer, so b̂ is exact in FP32 and any way of factoring a term gives the same bits.
//   awq     A divided by the channel factors (powers of two) before it is rounded to FP16
//
// Stored code bits set the lanes' vector: 16, 32, 64 or 128 codes are one 16-byte load. Refused: |a| > 65504.
#pragma once

#include "kernels/formats/all_formats.h"
#include "kernels/scheme_parts.h"

namespace narrowgate::weight_only {

// The family is the id's first word.
inline Scheme scheme(std::string_view id, std::string_view title, Accumulation accumulation,
                     parts::OperandQuantizer weights) {
  return {.id = id,
          .family = id.substr(0, id.find('.')),
          .title = title,
          .accumulation = accumulation,
          .quantization = parts::both(parts::fp16(), std::move(weights))};
}

// Round-to-nearest in groups along k, with FP16 scales.
inline parts::OperandQuantizer rtn(const formats::Format& element, std::int64_t group) {
  return parts::integers(element, {group, 1}, quantize::ScaleStorage::fp16);
}

inline Scheme rounded(std::string_view id, std::string_view title, Accumulation accumulation, const formats::Format& element,
                      std::int64_t group) {
  return scheme(id, title, accumulation, rtn(element, group));
}

inline Scheme offline(Scheme scheme) {
  scheme.refuses_shape = parts::refuses_deeper_than_offline;
  return scheme;
}

}  // namespace narrowgate::weight_only
