// Baselines hold doubles as hex text: every bit, one spelling, in any locale.
#include "baselines/hex_float.h"

#include <gtest/gtest.h>

#include <limits>

#include "baselines/test_records.h"

namespace narrowgate {
namespace {

TEST(HexFloat, Literals) {
  EXPECT_EQ(hex_float(0.0), "0x0p+0");
  EXPECT_EQ(hex_float(-0.0), "-0x0p+0");
  EXPECT_EQ(hex_float(1.0), "0x1p+0");
  EXPECT_EQ(hex_float(0.75), "0x1.8p-1");
  EXPECT_EQ(hex_float(-2.5), "-0x1.4p+1");
  EXPECT_EQ(hex_float(0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(hex_float(std::numeric_limits<double>::max()), "0x1.fffffffffffffp+1023");
  EXPECT_EQ(hex_float(std::numeric_limits<double>::min()), "0x1p-1022");
  EXPECT_EQ(hex_float(std::numeric_limits<double>::denorm_min()), "0x0.0000000000001p-1022");
}

TEST(HexFloat, ReadsWhatItWrites) {
  for (const double value : {0.0, 0.75, 0.1, 1e300, 5e-324, 2.2250738585072011e-308, 1.7976931348623157e308}) {
    EXPECT_EQ(parse_hex_float(hex_float(value)), value) << hex_float(value);
  }
}

TEST(HexFloat, RefusesEveryOtherSpelling) {
  for (const char* text : {"", "0x", "0.75", "0x1.8P-1", "0X1.8p-1", "0x1.80p-1", "0x3p-2", "0x1.8p-01", "0x1.8p-1 ",
                           " 0x1.8p-1", "0x1,8p-1", "nan", "0xnan", "0xinf", "inf", "-", "0x1p+1024", "0x-1p+0",
                           "0x1.8", "0x1.99999999999999p-4"}) {
    EXPECT_EQ(parse_hex_float(text), std::nullopt) << text;
  }
}

TEST(HexFloat, SixDigits) {
  EXPECT_EQ(six_digits(0.1), 0.1);
  EXPECT_EQ(six_digits(1.0 / 3), 0.333333);
  EXPECT_EQ(six_digits(123456789.0), 123457000.0);
  EXPECT_EQ(six_digits(0.0), 0.0);
}

TEST(HexFloat, DoesNotDependOnTheLocale) {
  const test::DecimalComma comma;
  EXPECT_EQ(hex_float(0.75), "0x1.8p-1");
  EXPECT_EQ(parse_hex_float("0x1.8p-1"), 0.75);
  EXPECT_EQ(six_digits(1.0 / 3), 0.333333);
}

}  // namespace
}  // namespace narrowgate
