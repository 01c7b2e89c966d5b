// Ternary weights as BitNet b1.58 has them (Ma et al. 2024): −1, 0 or 1 times the mean magnitude of the tensor, INT8
// activations with one scale for each row. The arithmetic is that of int8/int8.h.
#include "kernels/formats/all_formats.h"
#include "kernels/int8/int8.h"
#include "kernels/scheme_parts.h"

namespace narrowgate::ternary {

extern const Scheme bitnet;
const Scheme bitnet = {.id = "ternary.bitnet",
                       .family = "ternary",
                       .title = "Ternary weights by their mean magnitude, INT8 activations with one scale for each row",
                       .accumulation = Accumulation::integer(),
                       .quantization = parts::both(parts::int8(Granularity::row()),
                                                   parts::integers(formats::kTernary, Granularity::tensor(),
                                                                   quantize::ScaleStorage::fp32))};

}  // namespace narrowgate::ternary
