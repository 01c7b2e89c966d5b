// A library that is there, one that is not, and what each says.
#include "kernels/cuda/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace narrowgate::cuda {
namespace {

TEST(Library, TakesTheFirstNameThatIsThere) {
  const Library math({"libnot-there.so.13", "libm.so.6", "libc.so.6"});
  EXPECT_FALSE(math.problem());
  EXPECT_EQ(math.name(), "libm.so.6");
  const auto absolute = math.function<double (*)(double)>("fabs");
  EXPECT_EQ(absolute(-2.0), 2.0);
}

TEST(Library, NamesTheFunctionThatItLacks) {
  const Library math({"libm.so.6"});
  EXPECT_THAT([&] { math.function<void (*)()>("cublasCreate_v2"); },
              testing::ThrowsMessage<std::runtime_error>("libm.so.6 has no function cublasCreate_v2"));
}

TEST(Library, AMissingOneIsAReasonUntilItIsCalled) {
  const Library missing({"libnot-there.so.13", "libnot-there.so.12"});
  EXPECT_EQ(missing.problem(), "libnot-there.so.13 is not installed");
  EXPECT_THAT([&] { missing.function<void (*)()>("anything"); },
              testing::ThrowsMessage<std::runtime_error>("libnot-there.so.13 is not installed"));
}

}  // namespace
}  // namespace narrowgate::cuda
