// Quantizers of one matrix by name, for the command line, benchmarks and tables.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/quantize/mx.h"

namespace narrowgate::quantize {

struct NamedResult {
  QuantizedMatrix quantized;
  std::vector<float> factors;  // of the input channels, for quantizers that scale them; else empty
  double bits_per_weight = 0;  // storage cost
};

struct QuantizerInput {
  View<const float> matrix;
  BlockAxis k_axis = BlockAxis::rows;  // rows: a weight matrix k×n; cols: activations m×k
  View<const float> calibration;       // activations (samples×k) for the quantizers that need them
};

struct NamedQuantizer {
  std::string name;  // "int4.g128", "mxfp4.rceil", …
  bool needs_calibration = false;
  std::function<OrRefusal<NamedResult>(const QuantizerInput&)> run;
};

// All of them, in the order in which help lists them.
const std::vector<NamedQuantizer>& named_quantizers();

// By its name or by a scheme's id, whose weights it then quantizes: "w4a16.g128.rtn.lanes" is "int4.g128",
// "w4a16.g128_zp.hqq.chain" is "uint4.g128.hqq", "mx.mxfp4.floor.chain" is "mxfp4.floor". Null when there is none.
const NamedQuantizer* find_quantizer(std::string_view name_or_scheme);

}  // namespace narrowgate::quantize
