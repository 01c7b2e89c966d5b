# One INTERFACE target carries the flags that the digests depend on, so no file can miss them.
add_library(narrowgate_options INTERFACE)
target_include_directories(narrowgate_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_features(narrowgate_options INTERFACE cxx_std_20)

# g++ contracts a*b+c into one rounding even where the FP_CONTRACT pragma is off; the flag is what counts.
set(narrowgate_cpu_flags -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  # The floor is AVX2 with FMA; Highway then builds AVX2 and AVX3 only. -maes and -mpclmul keep its AVX2 target whole.
  list(APPEND narrowgate_cpu_flags -march=x86-64-v3 -maes -mpclmul)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND narrowgate_cpu_flags "-DHWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()
target_compile_options(narrowgate_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${narrowgate_cpu_flags}>")

add_library(narrowgate_warnings INTERFACE)
target_compile_options(narrowgate_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>"
  # g++ 12 also warns where a designated initializer leaves members to their defaults, which is what it is for.
  "$<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>"
  # g++ 12 reports overlaps in std::string concatenation that cannot happen (GCC bug 105329).
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>")

if(NARROWGATE_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${NARROWGATE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options("-fsanitize=${NARROWGATE_SANITIZE}")
endif()
