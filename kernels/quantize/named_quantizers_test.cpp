// Every named quantizer runs on weights and on activations, refuses NaN, and stays within a bound of the input.
#include "kernels/quantize/named_quantizers.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/quantize/block_scaling.h"
#include "kernels/quantize/test_inputs.h"

namespace narrowgate::quantize {
namespace {

TEST(NamedQuantizers, AllReconstructTheirInput) {
  const Matrix<float> b = gaussian_matrix(160, 6);
  const Matrix<float> x = gaussian_matrix(8, 160, 2);
  double energy = 0;
  for (const float value : b.flat()) energy += static_cast<double>(value) * value;
  std::set<std::string> names;
  for (const NamedQuantizer& quantizer : named_quantizers()) {
    EXPECT_TRUE(names.insert(quantizer.name).second) << quantizer.name;
    const auto result = quantizer.run({b.view(), BlockAxis::rows, x.view()});
    ASSERT_TRUE(result) << quantizer.name;
    double error = 0;
    for (std::int64_t row = 0; row < b.rows(); ++row) {
      const double factor = result->factors.empty() ? 1.0 : result->factors[static_cast<std::size_t>(row)];
      for (std::int64_t col = 0; col < b.cols(); ++col) {
        error += std::pow(b(row, col) - result->quantized.dequantized(row, col) / factor, 2);
      }
    }
    // Two-bit symmetric codes lose the most: min–max over 128 normals sends most of them to zero.
    EXPECT_LT(error / energy, 0.95) << quantizer.name;
    EXPECT_GE(bits_per_weight(result->quantized), 1.0) << quantizer.name;
  }
}

TEST(NamedQuantizers, RefuseNan) {
  Matrix<float> b = gaussian_matrix(130, 3);
  const Matrix<float> x = gaussian_matrix(4, 130, 2);
  b(129, 2) = std::nanf("");
  for (const NamedQuantizer& quantizer : named_quantizers()) {
    const auto result = quantizer.run({b.view(), BlockAxis::rows, x.view()});
    ASSERT_FALSE(result) << quantizer.name;
    EXPECT_NE(result.error().reason.find("row 129, column 2 is nan"), std::string::npos) << quantizer.name;
  }
}

TEST(FindQuantizer, ByNameAndBySchemeId) {
  EXPECT_EQ(find_quantizer("int4.g128")->name, "int4.g128");
  EXPECT_EQ(find_quantizer("w4a16.g128.rtn.lanes")->name, "int4.g128");
  EXPECT_EQ(find_quantizer("mx.mxfp4.floor.chain")->name, "mxfp4.floor");
  EXPECT_EQ(find_quantizer("fp8.e4m3.column.chain.f16out")->name, "e4m3.column");
  EXPECT_EQ(find_quantizer("int8.column")->name, "int8.column");
  EXPECT_EQ(find_quantizer("w4a16.g128_zp.hqq.chain")->name, "uint4.g128.hqq");
  EXPECT_EQ(find_quantizer("w2a16.g32_zp.rtn.lanes")->name, "uint2.g32");
  EXPECT_EQ(find_quantizer("int9.column"), nullptr);
}

}  // namespace
}  // namespace narrowgate::quantize
