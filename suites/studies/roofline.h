// The least time of a layer from published peak rates: no kernel can be faster.
#pragma once

#include <string>
#include <vector>

namespace narrowgate::studies {

struct Accelerator {
  std::string name;
  double fp16_flops = 0;  // per second, dense
  double int8_ops = 0;    // per second, dense
  double bytes_per_second = 0;
  std::string source;
};
std::vector<Accelerator> published_accelerators();

// How a layer stores its weights and which unit multiplies them.
struct LayerFormat {
  const char* name;
  double weight_bits;
  double Accelerator::* peak;
};
inline constexpr LayerFormat kFp16Layer{"FP16", 16, &Accelerator::fp16_flops};
inline constexpr LayerFormat kW8a8Layer{"W8A8", 8, &Accelerator::int8_ops};
inline constexpr LayerFormat kW4a16Layer{"W4A16", 4, &Accelerator::fp16_flops};

// max(bytes / bandwidth, 2·weights·tokens / peak), in seconds. Activations and scales are left out.
double attainable_seconds(const Accelerator& accelerator, const LayerFormat& format, double weights, double tokens);

// Tokens at which the arithmetic of `first` takes as long as `second` takes to read its weights: below it the format
// with fewer bits is the faster one.
double crossover_tokens(const Accelerator& accelerator, const LayerFormat& first, const LayerFormat& second);

}  // namespace narrowgate::studies
