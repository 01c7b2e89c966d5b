// What tests of schemes share: data, encoding with its replay, running every host kernel of a scheme.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>

#include "kernels/kernel.h"
#include "kernels/random/philox.h"

namespace narrowgate::test {

inline Matrix<float> random_matrix(std::int64_t rows, std::int64_t cols, std::uint32_t tensor) {
  Matrix<float> x(rows, cols);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x.data()[i] = (uniform_from_word(philox_word({.seed = 11, .tensor = tensor}, i)) - 0.25f) * (i % 37 == 0 ? 8.0f : 1.0f);
  }
  return x;
}

inline Matrix<float> matrix(std::int64_t rows, std::int64_t cols, std::initializer_list<float> values) {
  Matrix<float> x(rows, cols);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

inline Matrix<float> filled(std::int64_t rows, std::int64_t cols, float value) {
  Matrix<float> x(rows, cols);
  std::fill(x.flat().begin(), x.flat().end(), value);
  return x;
}

inline OrRefusal<Operands> try_encode(const Scheme& scheme, const Matrix<float>& a, const Matrix<float>& b) {
  constexpr std::int64_t kCalibrationRows = 16;
  const Matrix<float> calibration = random_matrix(kCalibrationRows, a.cols(), 2), bias = random_matrix(1, b.cols(), 3);
  return encode_operands(scheme, {a.view(), b.view(), calibration.view()}, bias.flat());
}

inline Operands encode(const Scheme& scheme, const Matrix<float>& a, const Matrix<float>& b) {
  auto operands = try_encode(scheme, a, b);
  EXPECT_TRUE(operands) << scheme.id << ": " << operands.error().reason;
  return *operands;
}

inline std::vector<const Kernel*> host_kernels(const Scheme& scheme, Contract contract = Contract::kExact) {
  std::vector<const Kernel*> kernels;
  for (const Kernel* kernel : all_kernels()) {
    const bool is_wanted = kernel->backend != Backend::kCuda && kernel->contract == contract;
    if (is_wanted && kernel->computes(scheme)) kernels.push_back(kernel);
  }
  return kernels;
}

inline Matrix<float> run(const Kernel& kernel, const Operands& operands, Layout layout = {}) {
  const auto memory = make_host_memory(layout);
  const Shape shape = operands.shape();
  const Launch launch = kernel.bind(operands, memory->output(shape.m, shape.n), *memory);
  memory->poison_output();
  launch();
  EXPECT_THAT(memory->damage(), testing::IsEmpty()) << kernel.name;
  return memory->read_output();
}

inline std::vector<std::uint32_t> bits_of(const Matrix<float>& c) {
  std::vector<std::uint32_t> bits;
  for (const float value : c.flat()) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

// A test name for a scheme: letters, digits and underscores.
inline std::string test_name(const testing::TestParamInfo<const Scheme*>& instance) {
  std::string name(instance.param->id);
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  return name;
}

// The product of a and b under the scheme by every host kernel, which must all agree.
inline Matrix<float> answer(std::string_view scheme_id, const Matrix<float>& a, const Matrix<float>& b) {
  const Scheme& scheme = *find_scheme(scheme_id);
  const Operands operands = encode(scheme, a, b);
  const Matrix<float> c = run(replay_kernel(scheme), operands);
  for (const Kernel* kernel : host_kernels(scheme)) EXPECT_EQ(bits_of(run(*kernel, operands)), bits_of(c)) << kernel->name;
  return c;
}

}  // namespace narrowgate::test
