# narrowgate_test(NAME SOURCES a_test.cpp LINK target ... [LABEL slow])
# One executable per folder; each TEST is a ctest entry. LABEL slow keeps it out of the default run.
include(GoogleTest)
function(narrowgate_test NAME)
  if(NOT NARROWGATE_TESTS)
    return()
  endif()
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${TEST_LINK} narrowgate_options narrowgate_warnings GTest::gtest_main GTest::gmock)
  if(TEST_LABEL)
    # Minutes on a free machine; one that others keep busy may take an hour, and that is no finding.
    set(properties TIMEOUT 3600 LABELS "${TEST_LABEL}")
  else()
    set(properties TIMEOUT 600)
  endif()
  # ctest runs several tests at once: threads that wait must not spin on the cores of the others.
  list(APPEND properties ENVIRONMENT OMP_WAIT_POLICY=passive)
  gtest_discover_tests(${NAME} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" DISCOVERY_TIMEOUT 60
                       PROPERTIES ${properties})
endfunction()
