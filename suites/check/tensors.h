// The tensors of a check, read and fitted together. Every error names file, place and what was expected.
#pragma once

#include <optional>
#include <tl/expected.hpp>

#include "baselines/error.h"
#include "kernels/kernel.h"
#include "suites/check/request.h"
#include "suites/io/tensor.h"

namespace narrowgate::check {

template <class T>
using OrError = tl::expected<T, Error>;

// "weights.npz:b" is the tensor b of weights.npz; without a name, the file's only tensor.
struct TensorName {
  std::string file, tensor;
};
TensorName parse_tensor_name(const std::string& text);

OrError<io::Tensor> read_tensor(const std::string& name);

// float32, float16 or bfloat16 of rank 1 (one row) or 2, with at least one element.
OrError<Matrix<float>> read_matrix(const std::string& name);
OrError<Matrix<float>> read_finite_matrix(const std::string& name);

struct Tensors {
  Matrix<float> a, b, c;  // m×k, k×n, m×n
  io::ElementType c_type = io::ElementType::f32;
  Matrix<float> bias;         // 1×n, or empty
  Matrix<float> calibration;  // samples×k, or empty
  Shape shape() const { return {a.rows(), b.cols(), a.cols()}; }
  SchemeInputs inputs() const { return {a.view(), b.view(), calibration.view()}; }
};
OrError<Tensors> read_tensors(const CheckRequest& request, const Scheme& scheme);

}  // namespace narrowgate::check
