#include "suites/engine/build_info.h"

#include "git_version.h"  // written at each build by cmake/git_version.cmake

namespace narrowgate::build_info {

const char* const kVersion = NARROWGATE_VERSION;
#if defined(__clang__)
const char* const kCompiler = "clang++ " __clang_version__;
#else
const char* const kCompiler = "g++ " __VERSION__;
#endif
const char* const kFlags = NARROWGATE_FLAGS;

std::string commit() { return NARROWGATE_GIT_COMMIT; }
bool dirty() { return NARROWGATE_GIT_DIRTY != 0; }

}  // namespace narrowgate::build_info
