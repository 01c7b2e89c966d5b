#include "suites/studies/measures.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/reference/oracle.h"
#include "suites/engine/metrics.h"

namespace narrowgate::studies {
namespace {

constexpr std::int64_t kCalibrationRows = 64;

template <class Value>
double root_mean_square(std::int64_t rows, std::int64_t cols, const Value& value) {
  const double sum = pairwise_sum(0, rows * cols, [&](std::int64_t i) {
    const double v = value(i / cols, i % cols);
    return v * v;
  });
  return std::sqrt(sum / static_cast<double>(rows * cols));
}

}  // namespace

double rms(View<const float> x) {
  return root_mean_square(x.rows, x.cols, [&](std::int64_t i, std::int64_t j) -> double { return x(i, j); });
}

double rms(const Matrix<double>& x) {
  return root_mean_square(x.rows(), x.cols(), [&](std::int64_t i, std::int64_t j) { return x(i, j); });
}

double rms_error(View<const float> x, const QuantizedMatrix& quantized) {
  return root_mean_square(x.rows, x.cols,
                          [&](std::int64_t i, std::int64_t j) { return quantized.dequantized(i, j) - x(i, j); });
}

double rms_error(const Matrix<float>& c, const Matrix<double>& exact, std::int64_t first_row) {
  return root_mean_square(c.rows() - first_row, c.cols(), [&](std::int64_t i, std::int64_t j) {
    return c(first_row + i, j) - exact(first_row + i, j);
  });
}

double largest_error(View<const float> x, const QuantizedMatrix& quantized) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      largest = std::max(largest, std::fabs(quantized.dequantized(i, j) - x(i, j)));
    }
  }
  return largest;
}

Pair make_pair(Distribution distribution, Shape shape) {
  Pair pair{make_input(distribution, Tensor::kA, kSeed, shape.m, shape.k),
            make_input(distribution, Tensor::kB, kSeed, shape.k, shape.n),
            {}};
  pair.exact = reference::product(std::as_const(pair.a).view(), std::as_const(pair.b).view());
  return pair;
}

Matrix<float> answer(const Scheme& scheme, const Operands& operands) {
  const Kernel* chosen = &replay_kernel(scheme);
  for (const Kernel* kernel : all_kernels()) {
    const bool is_fast = kernel->name == "cpu.simd" && kernel->contract == Contract::kExact;
    if (is_fast && kernel->computes(scheme) && !kernel->unsupported(scheme, operands.shape())) chosen = kernel;
  }
  const auto memory = make_host_memory({});
  const Launch launch = chosen->bind(operands, memory->output(operands.shape().m, operands.shape().n), *memory);
  launch();
  return memory->read_output();
}

Matrix<float> answer(std::string_view scheme_id, const Pair& inputs, Distribution distribution) {
  const Scheme* scheme = find_scheme(scheme_id);
  if (scheme == nullptr) throw std::logic_error("a study names a scheme that is not there: " + std::string(scheme_id));
  Matrix<float> calibration;
  if (scheme->needs_calibration) {
    calibration = make_input(distribution, Tensor::kCalibration, kSeed, kCalibrationRows, inputs.a.cols());
  }
  const SchemeInputs scheme_inputs{inputs.a.view(), inputs.b.view(), std::as_const(calibration).view()};
  return answer(*scheme, accepted(encode_operands(*scheme, scheme_inputs, {})));
}

std::string plain_number(double value) {
  constexpr double kLargest = 1e6;
  if (value >= kLargest) return "over 1,000,000";
  return value >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

StudyRecord::X categories(std::string label, std::vector<std::string> names) {
  return {std::move(label), "", StudyRecord::Scale::categories, {}, std::move(names)};
}

}  // namespace narrowgate::studies
