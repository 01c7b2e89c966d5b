#include "suites/check/tensors.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "suites/io/npy.h"
#include "suites/io/safetensors.h"

namespace narrowgate::check {
namespace {

using io::Tensor;

tl::unexpected<Error> error_at(const std::string& file, const std::string& place, const std::string& expected) {
  return tl::unexpected(Error{fmt::format("{}: {}: expected {}", file, place, expected)});
}

template <class T>
OrError<T> as_error(io::OrIoError<T> value) {
  if (!value) return tl::unexpected(Error{value.error().message});
  return std::move(*value);
}

OrError<Tensor> pick(std::vector<Tensor> tensors, const TensorName& name) {
  if (name.tensor.empty() && tensors.size() == 1) return std::move(tensors.front());
  std::string names;
  for (Tensor& tensor : tensors) {
    if (!name.tensor.empty() && tensor.name == name.tensor) return std::move(tensor);
    names += (names.empty() ? "" : ", ") + tensor.name;
  }
  if (names.empty()) return error_at(name.file, "tensors", "at least one, found none");
  if (name.tensor.empty()) return error_at(name.file, "tensors", fmt::format("FILE:TENSOR, where the tensors are {}", names));
  return error_at(name.file, fmt::format("tensor \"{}\"", name.tensor), fmt::format("one of {}", names));
}

Matrix<float> transposed(const Matrix<float>& x) {
  Matrix<float> result(x.cols(), x.rows());
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    for (std::int64_t col = 0; col < x.cols(); ++col) result(col, row) = x(row, col);
  }
  return result;
}

OrError<Matrix<float>> full_matrix(const Tensor& tensor, const std::string& name) {
  auto matrix = as_error(io::to_matrix(tensor, parse_tensor_name(name).file));
  if (matrix && matrix->empty()) {
    return error_at(name, "shape", fmt::format("at least one element, found {}", io::shape_text(tensor.shape)));
  }
  return matrix;
}

std::string described(const std::string& name, const Matrix<float>& x) {
  return fmt::format("{} is {}×{}", name, x.rows(), x.cols());
}

std::optional<Error> refuse_shapes(const CheckRequest& request, const Tensors& tensors) {
  const Shape shape = tensors.shape();
  const std::string operands = described(request.a, tensors.a) + ", " + described(request.b, tensors.b) +
                               (request.b_stored == Orientation::kNByK ? " after --b-transposed" : "");
  if (tensors.b.rows() != shape.k) {
    return Error{fmt::format("shape: {}: expected as many rows of B as A has columns{}", operands,
                             tensors.b.cols() == shape.k && request.b_stored == Orientation::kKByN
                                 ? "; is B stored n×k (--b-transposed)?" : "")};
  }
  if (tensors.c.rows() != shape.m || tensors.c.cols() != shape.n) {
    return Error{fmt::format("shape: {}, {}: expected C to be {}×{}", operands, described(request.c, tensors.c), shape.m, shape.n)};
  }
  return std::nullopt;
}

OrError<Matrix<float>> read_bias(const CheckRequest& request, const Scheme& scheme, std::int64_t n) {
  if (!scheme.has_bias && !request.bias.empty()) {
    return tl::unexpected(Error{fmt::format("--bias: {} adds none; expected a scheme that ends in .bias", scheme.id)});
  }
  if (!scheme.has_bias) return Matrix<float>();
  if (request.bias.empty()) return tl::unexpected(Error{fmt::format("--bias: {} adds one; expected a file of {} values", scheme.id, n)});
  auto bias = read_finite_matrix(request.bias);
  if (bias && bias->size() != n) {
    return error_at(request.bias, "shape", fmt::format("{} values, one for each column of C, found {}×{}", n, bias->rows(), bias->cols()));
  }
  return bias;
}

OrError<Matrix<float>> read_calibration(const CheckRequest& request, const Scheme& scheme, std::int64_t k) {
  if (!scheme.needs_calibration && !request.calibration.empty()) {
    return tl::unexpected(Error{fmt::format("--calibration: {} does not look at any; leave it out", scheme.id)});
  }
  if (!scheme.needs_calibration) return Matrix<float>();
  if (request.calibration.empty()) {
    return tl::unexpected(Error{fmt::format("--calibration: {} needs activations, samples × {}; expected a file", scheme.id, k)});
  }
  auto calibration = read_finite_matrix(request.calibration);
  if (calibration && calibration->cols() != k) {
    return error_at(request.calibration, "shape", fmt::format("{} columns, one for each k, found {}×{}", k, calibration->rows(),
                                                              calibration->cols()));
  }
  return calibration;
}

}  // namespace

TensorName parse_tensor_name(const std::string& text) {
  for (const std::string_view extension : {".npz:", ".safetensors:"}) {
    const std::size_t at = text.find(extension);
    if (at == std::string::npos) continue;
    const std::size_t colon = at + extension.size() - 1;
    return {text.substr(0, colon), text.substr(colon + 1)};
  }
  return {text, ""};
}

OrError<Tensor> read_tensor(const std::string& text) {
  const TensorName name = parse_tensor_name(text);
  const auto choose = [&](std::vector<Tensor> tensors) { return pick(std::move(tensors), name); };
  if (name.file.ends_with(".npz")) return as_error(io::read_npz(name.file)).and_then(choose);
  if (name.file.ends_with(".safetensors")) return as_error(io::read_safetensors(name.file)).and_then(choose);
  if (name.file.ends_with(".npy")) return as_error(io::read_npy(name.file));
  return error_at(text, "name", "FILE.npy, FILE.npz:TENSOR or FILE.safetensors:TENSOR");
}

OrError<Matrix<float>> read_matrix(const std::string& name) {
  return read_tensor(name).and_then([&](const Tensor& tensor) { return full_matrix(tensor, name); });
}

OrError<Matrix<float>> read_finite_matrix(const std::string& name) {
  auto matrix = read_matrix(name);
  if (!matrix) return matrix;
  for (std::int64_t i = 0; i < matrix->size(); ++i) {
    if (std::isfinite(matrix->data()[i])) continue;
    return error_at(name, fmt::format("row {}, column {}", i / matrix->cols(), i % matrix->cols()),
                    fmt::format("a finite number, found {}", matrix->data()[i]));
  }
  return matrix;
}

OrError<Tensors> read_tensors(const CheckRequest& request, const Scheme& scheme) {
  Tensors tensors;
  auto a = read_finite_matrix(request.a);
  if (!a) return tl::unexpected(a.error());
  tensors.a = std::move(*a);
  auto b = read_finite_matrix(request.b);
  if (!b) return tl::unexpected(b.error());
  tensors.b = request.b_stored == Orientation::kNByK ? transposed(*b) : std::move(*b);
  {
    const auto c = read_tensor(request.c);
    if (!c) return tl::unexpected(c.error());
    auto matrix = full_matrix(*c, request.c);
    if (!matrix) return tl::unexpected(matrix.error());
    tensors.c = std::move(*matrix);
    tensors.c_type = c->type;
  }
  if (const auto problem = refuse_shapes(request, tensors)) return tl::unexpected(*problem);
  auto bias = read_bias(request, scheme, tensors.shape().n);
  if (!bias) return tl::unexpected(bias.error());
  tensors.bias = std::move(*bias);
  auto calibration = read_calibration(request, scheme, tensors.shape().k);
  if (!calibration) return tl::unexpected(calibration.error());
  tensors.calibration = std::move(*calibration);
  return tensors;
}

}  // namespace narrowgate::check
