// Every scheme is in the suites that gate, and the committed baselines hold its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "baselines/store.h"
#include "suites/engine/plan.h"

namespace narrowgate {
namespace {

std::map<std::string, std::vector<std::string>> cases_by_scheme(const std::string& suite) {
  std::map<std::string, std::vector<std::string>> cases;
  const auto cells = plan(*find_suite(suite), {{Backend::kCpu}, ""});
  for (const Cell& cell : *cells) cases[std::string(cell.of.scheme->id)].push_back(cell.of.id());
  return cases;
}

TEST(Coverage, EverySchemeHasCellsInPrAndEdgesAndACommittedBaseline) {
  const auto baseline = load_accuracy("baselines/accuracy");
  ASSERT_TRUE(baseline) << baseline.error().message;
  for (const char* suite : {"pr", "edges"}) {
    auto cases = cases_by_scheme(suite);
    for (const Scheme* scheme : all_schemes()) {
      const auto& of_scheme = cases[std::string(scheme->id)];
      EXPECT_GE(of_scheme.size(), 10u) << suite << ' ' << scheme->id;
      std::size_t stored = 0;
      for (const std::string& id : of_scheme) stored += baseline->cases.contains(id);
      EXPECT_GE(stored, of_scheme.size() / 2) << suite << ' ' << scheme->id;  // the rest is refused with a reason
    }
  }
}

// What the schemes' definitions promise, family by family.
TEST(Coverage, TheFamiliesAreComplete) {
  for (const char* id : {"fp32.chain", "fp32.lanes", "int8.tensor", "int8.column", "int8.column_zp", "int8.token", "int8.token_zp",
                         "int8.static_p9999", "int8.smooth", "int8.smooth_pow2", "int8.column_24", "int8.mixed", "w8a16.row.chain",
                         "w8a16.row.lanes", "w4a16.g128.rtn.lanes", "w4a16.g64_zp.rtn.chain", "w4a16.g32.rtn.chain",
                         "w4a16.g128.mse.chain", "w4a16.g128_zp.hqq.chain", "w4a16.g128.awq.chain", "w4a16.g128.gptq.chain",
                         "w2a16.g128.rtn.chain", "w1a16.g128.rtn.chain", "w4a8.g128", "w2a8.g128", "ternary.bitnet",
                         "sparse24.prune.fp32.chain", "sparse24.compressed.int8_column", "fp8.e4m3.tensor.chain",
                         "fp8.e4m3.column.chain", "fp8.e4m3.token.chain", "fp8.e4m3.g32.blocks", "fp8.e5m2.tensor.chain",
                         "fp8.e4m3.block128.blocks", "mx.mxfp8_e4m3.even.chain", "mx.mxfp8_e5m2.rceil.chain",
                         "mx.mxfp6_e2m3.floor.chain", "mx.mxfp6_e3m2.floor.chain", "mx.mxfp4.ceil.chain", "mx.mxint8.floor.chain",
                         "mx.nvfp4.chain", "mx.mxfp4_hadamard.chain", "fp32.chain.f16out", "int8.column.bias"}) {
    EXPECT_NE(find_scheme(id), nullptr) << id;
  }
}

}  // namespace
}  // namespace narrowgate
