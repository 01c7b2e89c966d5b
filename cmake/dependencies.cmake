# Every third-party package, once. Versions of Debian 12 and later are accepted.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(hwy REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(benchmark REQUIRED)
find_package(Boost REQUIRED COMPONENTS context)

# Header-only packages whose Debian builds ship no config file.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_path(VALIJSON_INCLUDE_DIR valijson/validator.hpp REQUIRED)

add_library(narrowgate_random123 INTERFACE)
target_include_directories(narrowgate_random123 SYSTEM INTERFACE "${RANDOM123_INCLUDE_DIR}")
add_library(narrowgate_xxhash INTERFACE)
target_include_directories(narrowgate_xxhash SYSTEM INTERFACE "${XXHASH_INCLUDE_DIR}")
target_link_libraries(narrowgate_xxhash INTERFACE "${XXHASH_LIBRARY}")
add_library(narrowgate_valijson INTERFACE)
target_include_directories(narrowgate_valijson SYSTEM INTERFACE "${VALIJSON_INCLUDE_DIR}")

if(NARROWGATE_TESTS)
  find_package(GTest REQUIRED)
endif()
