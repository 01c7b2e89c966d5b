// Every kernel of every scheme bit for bit against cpu.scalar at each tail, layout, thread order and thread count.
#include <omp.h>

#include <algorithm>
#include <typeindex>

#include "kernels/scheme_test_tools.h"
#include "kernels/simt/executor.h"

namespace narrowgate {
namespace {

using test::bits_of;
using test::encode;
using test::host_kernels;
using test::random_matrix;
using test::run;

std::vector<std::uint32_t> run_bits(const Kernel& kernel, const Operands& operands, Layout layout = {}) {
  return bits_of(run(kernel, operands, layout));
}

class EverySchemeTest : public testing::TestWithParam<const Scheme*> {};

TEST_P(EverySchemeTest, KernelsGiveTheReplaysBitsAtEveryTailAndLayout) {
  const Scheme& scheme = *GetParam();
  for (const Shape shape : {Shape{1, 1, 1}, Shape{7, 3, 5}, Shape{16, 16, 16}, Shape{17, 33, 31}, Shape{25, 65, 129},
                            Shape{2, 255, 513}, Shape{64, 8, 1025}}) {
    const Matrix<float> a = random_matrix(shape.m, shape.k, 0), b = random_matrix(shape.k, shape.n, 1);
    const Operands operands = encode(scheme, a, b);
    const std::vector<std::uint32_t> answer = run_bits(replay_kernel(scheme), operands);
    for (const Kernel* kernel : host_kernels(scheme)) {
      for (const Layout layout : {Layout{}, Layout{7, 0}, Layout{1, 3}}) {
        ASSERT_EQ(run_bits(*kernel, operands, layout), answer)
            << scheme.id << '/' << kernel->name << ' ' << shape.m << 'x' << shape.n << 'x' << shape.k << " +ld"
            << layout.ld_padding << "+off" << layout.offset;
      }
    }
  }
}

TEST_P(EverySchemeTest, KernelsGiveOneAnswerForAnyThreadCountAndOrder) {
  const Scheme& scheme = *GetParam();
  const Matrix<float> a = random_matrix(61, 200, 0), b = random_matrix(200, 50, 1);
  const Operands operands = encode(scheme, a, b);
  const std::vector<std::uint32_t> answer = run_bits(replay_kernel(scheme), operands);
  const int threads = omp_get_max_threads();
  for (const int count : {1, 2, 7}) {
    omp_set_num_threads(count);
    const simt::ScopedThreadOrder order(static_cast<std::uint64_t>(count));
    for (const Kernel* kernel : host_kernels(scheme)) EXPECT_EQ(run_bits(*kernel, operands), answer) << kernel->name;
  }
  omp_set_num_threads(threads);
}

TEST_P(EverySchemeTest, SelectedRowsAreTheRowsOfTheWhole) {
  const Scheme& scheme = *GetParam();
  const Matrix<float> a = random_matrix(20, 30, 0), b = random_matrix(30, 10, 1);
  const Operands operands = encode(scheme, a, b);
  const std::vector<std::uint32_t> whole = run_bits(replay_kernel(scheme), operands);
  const std::vector<std::uint32_t> part = run_bits(replay_kernel(scheme), select_rows(operands, {3, 19}));
  EXPECT_TRUE(std::equal(part.begin(), part.begin() + 10, whole.begin() + 30));
  EXPECT_TRUE(std::equal(part.begin() + 10, part.end(), whole.begin() + 190));
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySchemeTest,
                         testing::ValuesIn(all_schemes().begin(), all_schemes().end()),
                         test::test_name);

TEST(Registry, IdsAreUniqueAndEveryFamilyHasItsReplay) {
  std::vector<std::string> seen;
  for (const Scheme* scheme : all_schemes()) {
    EXPECT_THAT(seen, testing::Not(testing::Contains(std::string(scheme->id))));
    seen.emplace_back(scheme->id);
    EXPECT_EQ(replay_kernel(*scheme).name, "cpu.scalar");
    EXPECT_TRUE(scheme->id.starts_with(scheme->family));
  }
}

// The two modes are two compilations of one file, so their launches are of different types.
TEST(Registry, ASimtKernelRunsCheckedUpToAnExtentOf128) {
  const auto launch_type = [](const Kernel& kernel, const Scheme& scheme, Shape shape) {
    const Operands operands = encode(scheme, random_matrix(shape.m, shape.k, 0), random_matrix(shape.k, shape.n, 1));
    const auto memory = make_host_memory({});
    return std::type_index(kernel.bind(operands, memory->output(shape.m, shape.n), *memory).target_type());
  };
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->backend != Backend::kSimt) continue;
    const auto schemes = all_schemes();
    const auto is_its_own = [&](const Scheme* scheme) { return kernel->computes(*scheme); };
    const Scheme& scheme = **std::find_if(schemes.begin(), schemes.end(), is_its_own);
    const auto checked = launch_type(*kernel, scheme, {128, 128, 128});
    EXPECT_EQ(checked, launch_type(*kernel, scheme, {1, 2, 3})) << kernel->folder;
    for (const Shape large : {Shape{129, 8, 8}, Shape{8, 129, 8}, Shape{8, 8, 129}}) {
      EXPECT_NE(checked, launch_type(*kernel, scheme, large)) << kernel->folder;
    }
  }
}

TEST(AccumulatorLimits, AreRefusedOneStepBeyond) {
  const auto refuses = [](const char* id, std::int64_t k) { return find_scheme(id)->refuses({1, 1, k}).has_value(); };
  EXPECT_FALSE(refuses("int8.column", 133'144));
  EXPECT_TRUE(refuses("int8.column", 133'145));
  EXPECT_FALSE(refuses("int8.column_zp", 66'311));
  EXPECT_TRUE(refuses("int8.column_zp", 66'312));
}

}  // namespace
}  // namespace narrowgate
