// docs/gates.md says what the code does: its rules word by word, its constants number by number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "baselines/text_file.h"
#include "kernels/reference/bounds.h"
#include "suites/selftest/judge.h"
#include "suites/selftest/mutant.h"

namespace narrowgate::selftest {
namespace {

using testing::HasSubstr;

std::string page() {
  const auto text = read_text("docs/gates.md");
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

// A bar in a cell of a Markdown table is escaped.
std::string in_table(std::string_view text) { return std::regex_replace(std::string(text), std::regex(R"(\|)"), "\\|"); }

// The numbers that the page gives for the rule of a gate, in order.
std::vector<double> numbers_of(const std::string& gate) {
  std::smatch row;
  const std::string text = page();
  const std::string name = std::regex_replace(gate, std::regex(R"(\.)"), "\\.");
  if (!std::regex_search(text, row, std::regex("\\| `" + name + "` \\| ([^\n]*) \\| (yes|no) \\|"))) return {};
  const std::string rule = row[1];
  std::vector<double> numbers;
  const std::regex number(R"([0-9]+(\.[0-9]+)?(e-[0-9]+)?)");
  for (auto at = std::sregex_iterator(rule.begin(), rule.end(), number); at != std::sregex_iterator(); ++at) {
    numbers.push_back(std::stod(at->str()));
  }
  return numbers;
}

TEST(GatesPage, HoldsTheRuleOfEveryGateAndWhetherItDecides) {
  const std::string text = page();
  for (const GateColumn& gate : gate_columns()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string(gate.name) + "` | " + in_table(gate.rule) + " | " + (gate.decides ? "yes" : "no") + " |\n"));
    if (!gate.is_ours) continue;
    EXPECT_THAT(text, HasSubstr("\n## " + std::string(gate.name) + "\n"));
  }
  EXPECT_THAT(text, HasSubstr("tries " + std::to_string(all_mutants().size()) + " mutants"));
}

TEST(GatesPage, GivesTheConstantsThatAreUsed) {
  using testing::ElementsAre;
  EXPECT_THAT(numbers_of("allclose"), ElementsAre(kAbsoluteTolerance, kRelativeTolerance));
  EXPECT_THAT(numbers_of("or_form"), ElementsAre(kAbsoluteTolerance, kRelativeTolerance));
  EXPECT_THAT(numbers_of("nmse"), ElementsAre(2, kNmseLimit, 2));
  EXPECT_THAT(numbers_of("cosine"), ElementsAre(kCosineLimit));
  EXPECT_THAT(numbers_of("mean_0.04"), ElementsAre(kLooseMeanRatio));
  EXPECT_THAT(numbers_of("mean_0.001"), ElementsAre(kTightMeanRatio));
  EXPECT_THAT(numbers_of("calc_diff"), ElementsAre(1, 2, 2, 2, kCalcDiffLimit));
  EXPECT_THAT(numbers_of("6sigma"), ElementsAre(kSigmaLimit));
  ASSERT_EQ(numbers_of("sqnr").size(), 4u);
  EXPECT_EQ(numbers_of("sqnr")[0], 25);
  EXPECT_NEAR(numbers_of("sqnr")[2], kSqnrRatio, 0.05);
}

// K = 3, max|A| = 2, max|B| = 5: the page's 4·3·2·5/127.
TEST(GatesPage, GivesTheDay98LimitThatIsUsed) {
  const std::vector<double> numbers = numbers_of("day98");
  ASSERT_EQ(numbers.size(), 2u);
  Matrix<float> a(1, 3), b(3, 1);
  a(0, 1) = -2.0f;
  b(2, 0) = 5.0f;
  auto operands = encode_operands(*find_scheme("int8.column"), {a.view(), b.view(), {}}, {});
  ASSERT_TRUE(operands);
  const auto expectation = reference::expect(std::as_const(a).view(), std::as_const(b).view(), *operands);
  EXPECT_DOUBLE_EQ(expectation.k_gate_by_column[0], numbers[0] * 3 * 2 * 5 / numbers[1]);
}

}  // namespace
}  // namespace narrowgate::selftest
