#include "suites/cli/quantize_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "kernels/kernel.h"
#include "kernels/quantize/block_scaling.h"
#include "kernels/quantize/named_quantizers.h"
#include "suites/io/npy.h"
#include "suites/io/safetensors.h"

namespace narrowgate::cli {
namespace {

using io::ElementType;
using io::OrIoError;
using io::Tensor;

struct Arguments {
  std::string scheme;
  std::string input;
  std::string output;
  std::string tensor;       // of a .safetensors or .npz file
  std::string calibration;
  std::string k_axis = "rows";
};

// The tensor of that name, or the only one.
OrIoError<Tensor> pick(std::vector<Tensor> tensors, const std::string& name, const std::string& path) {
  if (name.empty() && tensors.size() == 1) return std::move(tensors[0]);
  std::string names;
  for (Tensor& tensor : tensors) {
    if (!name.empty() && tensor.name == name) return std::move(tensor);
    names += (names.empty() ? "" : ", ") + tensor.name;
  }
  return io::error_at(path, "--tensor", fmt::format("one of {}", names.empty() ? "its tensors, but it has none" : names));
}

OrIoError<Matrix<float>> load(const std::string& path, const std::string& name) {
  const auto to_matrix = [&](const Tensor& tensor) { return io::to_matrix(tensor, path); };
  const auto choose = [&](std::vector<Tensor> tensors) { return pick(std::move(tensors), name, path); };
  if (path.ends_with(".safetensors")) return io::read_safetensors(path).and_then(choose).and_then(to_matrix);
  if (path.ends_with(".npz")) return io::read_npz(path).and_then(choose).and_then(to_matrix);
  return io::read_npy(path).and_then(to_matrix);
}

// Codes as they are reported: numbers for integers, bit patterns for floating elements.
Tensor codes_tensor(const QuantizedMatrix& q) {
  const std::vector<std::int64_t> shape = {q.rows(), q.cols()};
  if (q.code_offset == 0 && !q.has_floating_elements()) {
    return make_tensor("codes", ElementType::i8, shape, q.codes.data());
  }
  std::vector<std::uint8_t> codes;
  for (const std::int8_t code : q.codes.flat()) codes.push_back(static_cast<std::uint8_t>(code + q.code_offset));
  return make_tensor("codes", ElementType::u8, shape, codes.data());
}

std::vector<Tensor> archive_of(const quantize::NamedResult& result, const Matrix<float>& dequantized) {
  const QuantizedMatrix& q = result.quantized;
  const std::vector<std::int64_t> blocks = {q.granularity.block_rows(q.rows()), q.granularity.block_cols(q.cols())};
  const double cost = result.bits_per_weight;
  std::vector<Tensor> tensors = {codes_tensor(q), make_tensor("scales", ElementType::f32, blocks, q.scales.data())};
  if (!q.zero_points.empty()) {
    std::vector<std::int32_t> zeros;
    for (const std::int32_t zero : q.zero_points) zeros.push_back(zero + q.code_offset);
    tensors.push_back(make_tensor("zeros", ElementType::i32, blocks, zeros.data()));
  }
  if (!q.fractional_zero_points.empty()) {
    tensors.push_back(make_tensor("zeros", ElementType::f32, blocks, q.fractional_zero_points.data()));
  }
  if (!result.factors.empty()) {
    tensors.push_back(make_tensor("factors", ElementType::f32, {static_cast<std::int64_t>(result.factors.size())},
                                  result.factors.data()));
  }
  tensors.push_back(make_tensor("tensor_scale", ElementType::f32, {}, &q.tensor_scale));
  tensors.push_back(make_tensor("dequantized", ElementType::f32, {q.rows(), q.cols()}, dequantized.data()));
  tensors.push_back(make_tensor("bits_per_weight", ElementType::f64, {}, &cost));
  return tensors;
}

// Channel factors are undone, so that the archive's matrix compares with the input.
Matrix<float> dequantized_input(const quantize::NamedResult& result) {
  Matrix<float> x = quantize::dequantize(result.quantized);
  if (result.factors.empty()) return x;
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t col = 0; col < x.cols(); ++col) x(row, col) /= result.factors[static_cast<std::size_t>(row)];
  }
  return x;
}

void print_summary(const std::string& name, const Matrix<float>& x, const Matrix<float>& dequantized, double cost) {
  double signal = 0;
  double noise = 0;
  double largest = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double difference = static_cast<double>(x.data()[i]) - dequantized.data()[i];
    signal += static_cast<double>(x.data()[i]) * x.data()[i];
    noise += difference * difference;
    largest = std::max(largest, std::fabs(difference));
  }
  fmt::print("{}: {}x{}, {:.4g} bits per weight, largest error {:.4g}, {}\n", name, x.rows(), x.cols(), cost, largest,
             noise == 0 ? "exact" : fmt::format("SQNR {:.1f} dB", 10 * std::log10(signal / noise)));
}

// The weights of a scheme that has no quantizer of that name alone: as its products get them.
OrRefusal<quantize::NamedResult> quantize_by_scheme(const Scheme& scheme, const quantize::QuantizerInput& input) {
  if (input.k_axis != BlockAxis::rows) {
    return tl::unexpected(Refusal{fmt::format("{} is a scheme: k runs along the rows of its weights, expected --k-axis rows", scheme.id)});
  }
  const Matrix<float> silence(1, input.matrix.rows);
  const View<const float> activations = input.calibration.rows > 0 ? input.calibration : silence.view();
  const std::vector<float> bias(static_cast<std::size_t>(input.matrix.cols));
  auto operands = encode_operands(scheme, {activations, input.matrix, activations}, bias);
  if (!operands) return tl::unexpected(operands.error());
  if (operands->preparation != Preparation::kNone && operands->preparation != Preparation::kPruned) {
    return tl::unexpected(Refusal{fmt::format("{} changes weights and activations together; expected a scheme whose "
                                              "weights are quantized alone", scheme.id)});
  }
  if (operands->b.is_float()) {
    return tl::unexpected(Refusal{fmt::format("{} does not quantize its weights", scheme.id)});
  }
  const double cost = bits_per_weight(*operands);
  return quantize::NamedResult{std::move(operands->b), {}, cost};
}

// The quantizer of that name, or a scheme's own.
std::optional<quantize::NamedQuantizer> find_named(const std::string& name) {
  if (const quantize::NamedQuantizer* known = quantize::find_quantizer(name)) return *known;
  const Scheme* scheme = find_scheme(name);
  if (scheme == nullptr) return std::nullopt;
  return quantize::NamedQuantizer{name, scheme->needs_calibration, [scheme](const quantize::QuantizerInput& input) {
                                    return quantize_by_scheme(*scheme, input);
                                  }};
}

// What is wrong with the call, or nothing.
std::optional<std::string> run(const Arguments& arguments) {
  const auto quantizer = find_named(arguments.scheme);
  if (!quantizer) {
    std::string names;
    for (const auto& known : quantize::named_quantizers()) names += "\n  " + known.name;
    return fmt::format("--scheme: {}: expected a scheme or one of{}", arguments.scheme, names);
  }
  const auto x = load(arguments.input, arguments.tensor);
  if (!x) return x.error().message;
  if (x->empty()) return fmt::format("{}: shape: expected at least one element", arguments.input);
  Matrix<float> calibration;
  if (quantizer->needs_calibration) {
    if (arguments.calibration.empty()) return fmt::format("--calibration: {}: expected a file of activations", quantizer->name);
    auto loaded = load(arguments.calibration, "");
    if (!loaded) return loaded.error().message;
    calibration = std::move(*loaded);
    if (calibration.cols() != x->rows()) {
      return fmt::format("{}: shape: expected {} columns, one for each row of {}, found {}", arguments.calibration,
                         x->rows(), arguments.input, calibration.cols());
    }
  }
  const auto axis = arguments.k_axis == "rows" ? quantize::BlockAxis::rows : quantize::BlockAxis::cols;
  const auto result = quantizer->run({x->view(), axis, calibration.view()});
  if (!result) return fmt::format("{}: data: {}", arguments.input, result.error().reason);
  const Matrix<float> dequantized = dequantized_input(*result);
  if (const auto written = io::write_npz(arguments.output, archive_of(*result, dequantized)); !written) {
    return written.error().message;
  }
  print_summary(quantizer->name, *x, dequantized, result->bits_per_weight);
  return std::nullopt;
}

}  // namespace

void add_quantize_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("quantize", "Quantize a matrix from a file and write codes, scales and what they decode to");
  command->add_option("--scheme", arguments->scheme, "A scheme id or quantizer name; a wrong one lists all")->required();
  command->add_option("input", arguments->input, "Matrix: .npy, .npz or .safetensors of float32, float16 or bfloat16")->required();
  command->add_option("output", arguments->output, "Archive to write: .npz")->required();
  command->add_option("--tensor", arguments->tensor, "Name of the tensor in an .npz or .safetensors file");
  command->add_option("--calibration", arguments->calibration, "Activations (samples x k) for AWQ and GPTQ");
  command->add_option("--k-axis", arguments->k_axis, "Axis that is summed over: rows (weights) or cols (activations)")
      ->check(CLI::IsMember({"rows", "cols"}))
      ->capture_default_str();
  command->callback([arguments, &exit_code] {
    const std::optional<std::string> problem = run(*arguments);
    if (problem) fmt::print(stderr, "{}\n", *problem);
    exit_code = problem ? 2 : 0;
  });
}

}  // namespace narrowgate::cli
