// Patterns over ids: `*` is any run of characters (also `/`), `?` is exactly one; everything else is itself.
#pragma once

#include <string_view>

namespace narrowgate {

// The pattern must match the whole text. Linear in practice: only the last star is ever retried.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace narrowgate
