// What first_difference says, and that no field escapes it.
#include <gtest/gtest.h>

#include "kernels/formats/all_formats.h"
#include "kernels/reference/quantize_oracle.h"
#include "kernels/reference/replay_inputs.h"

namespace narrowgate::reference {
namespace {

QuantizedMatrix example() {
  const std::vector<float> x = {1.0f, 2.0f, 3.0f, 4.0f};
  return replay_int8({x.data(), 2, 2, 2}, Granularity::tensor(), IntegerRange::kSymmetric);
}

TEST(FirstDifference, NamesTheCodeAndTheScale) {
  const QuantizedMatrix expected = example();
  QuantizedMatrix actual = expected;
  actual.codes(1, 0) = 7;
  EXPECT_EQ(first_difference(actual, expected), "the code at row 1, column 0 is 7 instead of 95");
  actual.scales[0] = 1.0f;
  EXPECT_EQ(first_difference(actual, expected), "scale 0 is 0x1p+0 instead of 0x1.020408p-5");
  actual.scales.clear();
  EXPECT_EQ(first_difference(actual, expected), "0 scales instead of 1");
}

TEST(FirstDifference, NamesTheTensorScaleAndZeroPoints) {
  const QuantizedMatrix expected = example();
  QuantizedMatrix actual = expected;
  actual.tensor_scale = -1.0f;
  EXPECT_EQ(first_difference(actual, expected), "the tensor scale is -0x1p+0 instead of 0x1p+0");
  actual = expected;
  actual.zero_points = {3};
  EXPECT_EQ(first_difference(actual, expected), "1 zero points instead of 0");
  QuantizedMatrix other = actual;
  other.zero_points = {4};
  EXPECT_EQ(first_difference(actual, other), "zero point 0 is 3 instead of 4");
  actual = other = expected;
  actual.fractional_zero_points = {0.0f};
  EXPECT_EQ(first_difference(actual, other), "1 fractional zero points instead of 0");
  other.fractional_zero_points = {-0.0f};
  EXPECT_EQ(first_difference(actual, other), "fractional zero point 0 is 0x0p+0 instead of -0x0p+0");
}

TEST(FirstDifference, NamesTheFormats) {
  const QuantizedMatrix expected = example();
  QuantizedMatrix actual = expected;
  actual.element = &formats::kInt4;
  EXPECT_EQ(first_difference(actual, expected), "the elements are int4 instead of plain integers");
  EXPECT_EQ(first_difference(expected, actual), "the elements are plain integers instead of int4");
  // By name: another copy of the record is the same format.
  const formats::Format copy = formats::kInt4;
  QuantizedMatrix same = actual;
  same.element = &copy;
  EXPECT_EQ(first_difference(same, actual), "");
  actual = expected;
  actual.scale_format = &formats::kFp16;
  EXPECT_EQ(first_difference(actual, expected), "scales are stored as fp16 instead of fp32");
}

TEST(FirstDifference, NamesShapesBlocksAndOffsets) {
  const QuantizedMatrix expected = example();
  QuantizedMatrix actual = expected;
  actual.codes = Matrix<std::int8_t>(2, 1);
  EXPECT_EQ(first_difference(actual, expected), "2×1 elements instead of 2×2");
  actual = expected;
  actual.granularity = {32, 1};
  EXPECT_EQ(first_difference(actual, expected), "blocks are 32×1 instead of 0×0");
  actual = expected;
  actual.code_offset = 128;
  EXPECT_EQ(first_difference(actual, expected), "the offset of codes is 128 instead of 0");
}

TEST(FirstDifference, OfValuesIsOneOfBits) {
  const QuantizedMatrix expected = as_values(Matrix<float>(2, 3));
  QuantizedMatrix actual = expected;
  actual.values(1, 2) = -0.0f;
  EXPECT_EQ(first_difference(actual, expected), "the value at row 1, column 2 is -0x0p+0 instead of 0x0p+0");
  EXPECT_EQ(first_difference(example(), expected), "codes instead of values");
  EXPECT_EQ(first_difference(expected, example()), "values instead of codes");
}

}  // namespace
}  // namespace narrowgate::reference
