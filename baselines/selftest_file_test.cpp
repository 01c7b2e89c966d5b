// The matrix of mutants: its text, and what two of them differ in.
#include "baselines/selftest_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const KillMatrix kStored = {{"bias_twice", {{"int8.column.bias", {"I", "E"}}}},
                            {"two_ulp", {{"fp32.chain", {"I", "drift"}}, {"int8.column", {"I"}}}}};

TEST(KillMatrixText, IsOneMutantALine) {
  const std::string text = matrix_text(kStored);
  EXPECT_EQ(text,
            "{\n\"schema\": \"narrowgate.kills/1\",\n\"mutants\": {\n"
            R"("bias_twice": {"int8.column.bias":["I","E"]},)"
            "\n"
            R"("two_ulp": {"fp32.chain":["I","drift"],"int8.column":["I"]})"
            "\n}\n}\n");
  const auto read = parse_matrix(text, "selftest.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, kStored);
}

TEST(KillMatrixText, WhatIsNotOneIsRefusedWithItsPlace) {
  const auto message = [](std::string_view text) {
    const auto read = parse_matrix(text, "selftest.json");
    return read ? "accepted" : read.error().message;
  };
  EXPECT_THAT(message("{}"), HasSubstr("selftest.json"));
  EXPECT_THAT(message(R"({"schema": "narrowgate.kills/1", "mutants": {"a": {}}})"), HasSubstr("[mutants][a]"));
  EXPECT_THAT(message(R"({"schema": "narrowgate.kills/1", "mutants": {"a": {"s": ["I", "I"]}}})"), HasSubstr("[mutants][a][s]"));
}

TEST(KillMatrixChange, EqualMatricesHaveNone) {
  const MatrixChange change = compare_matrices(kStored, kStored);
  EXPECT_THAT(change.lost, IsEmpty());
  EXPECT_THAT(change.unknown, IsEmpty());
  EXPECT_THAT(change.gained, IsEmpty());
}

TEST(KillMatrixChange, NamesGateMutantAndScheme) {
  const KillMatrix now = {{"bias_twice", {{"int8.column.bias", {"I", "guards"}}}}, {"two_ulp", {{"fp32.chain", {"I", "drift"}}}},
                          {"one_nan", {{"fp32.chain", {"guards"}}}}};
  const MatrixChange change = compare_matrices(kStored, now);
  EXPECT_THAT(change.lost, ElementsAre("the gate E no longer kills the mutant bias_twice on int8.column.bias",
                                       "the mutant two_ulp is stored for int8.column and was not tried on it"));
  EXPECT_THAT(change.unknown, ElementsAre("the mutant one_nan is not stored for fp32.chain"));
  EXPECT_THAT(change.gained, ElementsAre("the gate guards now kills the mutant bias_twice on int8.column.bias"));
}

TEST(SelftestText, HoldsGatesAndMutantsOneALine) {
  SelftestFile file;
  file.version = "0.1.0";
  file.gates = {{"I", "every bit", true, true, 3, 2, 10, 0, {{"scale", {{"fp32.chain", 0x1p-23}}}, {"bias", {}}, {"ulp", {{"fp32.chain", std::nullopt}}}}}};
  file.mutants = {{"two_ulp", "output", "one element is off"}};
  file.kills = {{"two_ulp", {{"fp32.chain", {"I"}}}}};
  const auto text = selftest_text(file, "selftest.json");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("\n{\"name\":\"I\",\"rule\":\"every bit\",\"ours\":true,\"decides\":true,\"pairs\":3,\"killed\":2,\"judged\":10,"
                               "\"false_alarms\":0,\"smallest\":{\"scale\":{\"fp32.chain\":1.1920928955078125e-07},\"bias\":{},"
                               "\"ulp\":{\"fp32.chain\":null}}}\n"));
  EXPECT_THAT(*text, HasSubstr("\n{\"name\":\"two_ulp\",\"kind\":\"output\",\"what\":\"one element is off\",\"kills\":{\"fp32.chain\":[\"I\"]}}\n"));
}

TEST(SelftestText, AMutantWithoutAPairIsRefused) {
  SelftestFile file;
  file.version = "0.1.0";
  file.gates = {{"I", "every bit", true, true, 0, 0, 0, 0, {{"scale", {}}, {"bias", {}}, {"ulp", {}}}}};
  file.mutants = {{"two_ulp", "output", "one element is off"}};
  const auto text = selftest_text(file, "selftest.json");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("[mutants][0][kills]"));
}

}  // namespace
}  // namespace narrowgate
