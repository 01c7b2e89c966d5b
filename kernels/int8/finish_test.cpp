// The epilogue as a pass of its own gives the bits of the epilogue within a kernel, for every kind of int8 scheme.
#include "kernels/int8/int8.h"
#include "kernels/scheme_test_tools.h"

namespace narrowgate::int8 {
namespace {

Matrix<std::int32_t> integer_product(const Operands& operands) {
  Matrix<std::int32_t> sums(operands.shape().m, operands.shape().n);
  for (std::int64_t row = 0; row < sums.rows(); ++row) {
    for (std::int64_t k = 0; k < operands.shape().k; ++k) {
      const std::int32_t a = operands.a.codes(row, k);
      for (std::int64_t col = 0; col < sums.cols(); ++col) sums(row, col) += a * operands.b.codes(k, col);
    }
  }
  return sums;
}

TEST(FinishSums, GivesTheSchemesAnswer) {
  for (const char* id :
       {"int8.tensor", "int8.column_zp", "int8.token_zp", "int8.mixed", "int8.column.bias", "int8.column.f16out"}) {
    const Scheme& scheme = *find_scheme(id);
    const Operands operands = test::encode(scheme, test::random_matrix(17, 40, 0), test::random_matrix(40, 33, 1));
    const auto memory = make_host_memory({7, 3});
    const View<float> c = memory->output(17, 33);
    const Arguments args = place(operands, c, *memory);
    const Matrix<std::int32_t> sums = integer_product(operands);
    finish_sums<Backend::kSimt>(sums.view(), args, nullptr);
    EXPECT_EQ(test::bits_of(memory->read_output()), test::bits_of(test::run(replay_kernel(scheme), operands))) << id;
    EXPECT_THAT(memory->damage(), testing::IsEmpty()) << id;
  }
}

}  // namespace
}  // namespace narrowgate::int8
