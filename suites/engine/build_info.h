// What this program was built from and with.
#pragma once

#include <string>

namespace narrowgate::build_info {

extern const char* const kVersion;
extern const char* const kCompiler;
extern const char* const kFlags;

// The commit at build time, 40 hex digits; empty outside a git checkout.
std::string commit();
// Whether tracked files other than stored baselines differed from it.
bool dirty();

}  // namespace narrowgate::build_info
