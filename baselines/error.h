// Errors are values: functions return tl::expected<T, Error>, and only main turns one into an exit code.
#pragma once

#include <string>

namespace narrowgate {

struct Error {
  std::string message;  // file, place (line:column for syntax, JSON pointer for content), what was expected
};

}  // namespace narrowgate
