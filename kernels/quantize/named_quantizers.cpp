#include "kernels/quantize/named_quantizers.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/formats/all_formats.h"
#include "kernels/quantize/group_integer.h"
#include "kernels/quantize/nvfp4.h"
#include "kernels/quantize/scaled_float.h"
#include "kernels/quantize/weight_quantizers.h"

namespace narrowgate::quantize {
namespace {

using formats::Format;
using Quantize = std::function<OrRefusal<QuantizedMatrix>(const QuantizerInput&)>;

// Granularities are named from the weights' side: a column of B[k×n] is an output channel.
struct NamedGranularity {
  std::string name;
  Granularity granularity;  // for k along rows
};

Granularity oriented(Granularity granularity, BlockAxis k_axis) {
  return k_axis == BlockAxis::rows ? granularity : Granularity{granularity.cols, granularity.rows};
}

NamedResult named_result(QuantizedMatrix quantized, std::vector<float> factors) {
  const double cost = bits_per_weight(quantized);
  return {std::move(quantized), std::move(factors), cost};
}

class Registry {
 public:
  void add(std::string name, Quantize quantize) {
    all.push_back({std::move(name), false, [quantize = std::move(quantize)](const QuantizerInput& input) {
                     return quantize(input).map([](QuantizedMatrix q) { return named_result(std::move(q), {}); });
                   }});
  }
  std::vector<NamedQuantizer> all;
};

void add_integers(Registry& registry, const std::vector<NamedGranularity>& granularities,
                  const std::vector<const Format*>& elements, ScaleStorage storage) {
  for (const Format* element : elements) {
    for (const NamedGranularity& entry : granularities) {
      registry.add(fmt::format("{}.{}", element->name, entry.name), [=](const QuantizerInput& input) {
        const Granularity granularity = oriented(entry.granularity, input.k_axis);
        if (element->kind == formats::Kind::sign) return binary(input.matrix, granularity, storage);
        if (element == &formats::kTernary) return ternary(input.matrix, granularity, storage);
        return element->is_signed ? symmetric_integer(input.matrix, *element, granularity, storage)
                                  : asymmetric_integer(input.matrix, *element, granularity, storage);
      });
    }
  }
}

void add_floats(Registry& registry) {
  const std::vector<NamedGranularity> granularities = {
      {"tensor", {0, 0}}, {"column", {0, 1}}, {"row", {1, 0}}, {"g32", {32, 1}}, {"g128", {128, 1}}, {"block128", {128, 128}}};
  for (const Format* element : {&formats::kE4m3, &formats::kE5m2}) {
    for (const NamedGranularity& entry : granularities) {
      registry.add(fmt::format("{}.{}", element->name, entry.name), [=](const QuantizerInput& input) {
        return scaled_float(input.matrix, *element, oriented(entry.granularity, input.k_axis));
      });
    }
  }
}

void add_mx(Registry& registry) {
  const std::pair<const char*, const Format*> elements[] = {
      {"mxfp8_e4m3", &formats::kE4m3}, {"mxfp8_e5m2", &formats::kE5m2}, {"mxfp6_e2m3", &formats::kE2m3},
      {"mxfp6_e3m2", &formats::kE3m2}, {"mxfp4", &formats::kE2m1},      {"mxint8", &formats::kMxint8}};
  const std::pair<const char*, MxRule> rules[] = {
      {"floor", MxRule::floor}, {"ceil", MxRule::ceil}, {"rceil", MxRule::rceil}, {"even", MxRule::even}};
  for (const auto& [element_name, element] : elements) {
    for (const auto& [rule_name, rule] : rules) {
      registry.add(fmt::format("{}.{}", element_name, rule_name), [element = element, rule = rule](const QuantizerInput& input) {
        return mx(input.matrix, *element, rule, input.k_axis);
      });
    }
  }
  registry.add("nvfp4", [](const QuantizerInput& input) { return nvfp4(input.matrix, input.k_axis); });
}

// The quantizers that are defined for weights k×n, with groups of 128 along k.
void add_weight_quantizers(Registry& registry) {
  constexpr std::int64_t kGroup = 128;
  for (const Format* element : {&formats::kInt4, &formats::kInt2}) {
    registry.add(fmt::format("{}.g128.mse", element->name), [=](const QuantizerInput& input) {
      return mse_clipped_integer(input.matrix, *element, kGroup);
    });
  }
  for (const Format* element : {&formats::kUint4, &formats::kUint2}) {
    registry.add(fmt::format("{}.g128.hqq", element->name),
                 [=](const QuantizerInput& input) { return hqq(input.matrix, *element, kGroup); });
  }
  for (const Format* element : {&formats::kInt4, &formats::kUint4}) {
    registry.all.push_back({fmt::format("{}.g128.awq", element->name), true, [=](const QuantizerInput& input) {
                              return awq(input.matrix, input.calibration, *element, kGroup).map([](ScaledWeights scaled) {
                                return named_result(std::move(scaled.weights), std::move(scaled.factors));
                              });
                            }});
    registry.add(fmt::format("{}.g128.gptq", element->name), [=](const QuantizerInput& input) {
      return gptq(input.matrix, input.calibration, *element, kGroup);
    });
    registry.all.back().needs_calibration = true;
  }
}

std::vector<NamedQuantizer> build() {
  Registry registry;
  const std::vector<NamedGranularity> whole = {{"tensor", {0, 0}}, {"column", {0, 1}}, {"row", {1, 0}}};
  const std::vector<NamedGranularity> groups = {{"g128", {128, 1}}, {"g64", {64, 1}}, {"g32", {32, 1}}};
  add_integers(registry, whole, {&formats::kInt8, &formats::kUint8}, ScaleStorage::fp32);
  add_integers(registry, groups, {&formats::kInt4, &formats::kUint4, &formats::kInt2, &formats::kUint2, &formats::kBinary},
               ScaleStorage::fp16);
  add_integers(registry, {{"tensor", {0, 0}}}, {&formats::kTernary}, ScaleStorage::fp32);
  add_weight_quantizers(registry);
  add_floats(registry);
  add_mx(registry);
  return std::move(registry.all);
}

// A scheme's id without what concerns only activations and the order of accumulation.
std::string canonical(std::string_view id) {
  std::string name(id);
  const auto replace_prefix = [&name](std::string_view from, std::string_view to) {
    if (name.starts_with(from)) name.replace(0, from.size(), to);
  };
  const auto drop_suffix = [&name](std::string_view suffix) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  };
  for (const std::string_view epilogue : {".f16out", ".bias", ".chain", ".lanes", ".blocks", ".rtn"}) drop_suffix(epilogue);
  replace_prefix("mx.", "");
  replace_prefix("fp8.", "");
  replace_prefix("w4a16.", "int4.");
  replace_prefix("w2a16.", "int2.");
  replace_prefix("w1a16.", "binary.");
  // Zero points mean unsigned codes: "int4.g128_zp.hqq" is "uint4.g128.hqq".
  const std::size_t zero_point = name.find("_zp");
  if (name.starts_with("int") && name.find(".g") != std::string::npos && zero_point != std::string::npos) {
    name = "u" + name.erase(zero_point, 3);
  }
  return name;
}

}  // namespace

const std::vector<NamedQuantizer>& named_quantizers() {
  static const std::vector<NamedQuantizer> all = build();
  return all;
}

const NamedQuantizer* find_quantizer(std::string_view name_or_scheme) {
  const auto find = [](std::string_view name) {
    const auto& all = named_quantizers();
    const auto found = std::find_if(all.begin(), all.end(), [name](const NamedQuantizer& q) { return q.name == name; });
    return found == all.end() ? nullptr : &*found;
  };
  const NamedQuantizer* exact = find(name_or_scheme);
  return exact != nullptr ? exact : find(canonical(name_or_scheme));
}

}  // namespace narrowgate::quantize
