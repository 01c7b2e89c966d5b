# cmake -DSOURCE=… -DOUTPUT=… -P git_version.cmake: writes the commit into a header, touching it only on a change.
# Stored baselines do not count as dirt: they have no part in what the program computes.
execute_process(COMMAND git rev-parse HEAD WORKING_DIRECTORY "${SOURCE}"
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(dirty 0)
if(failed)
  set(commit "")
else()
  execute_process(COMMAND git status --porcelain --untracked-files=no -- . ":!baselines/accuracy" ":!baselines/timing"
                          ":!baselines/WHY.md"
                  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty 1)
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"#define NARROWGATE_GIT_COMMIT \"${commit}\"
#define NARROWGATE_GIT_DIRTY ${dirty}
" @ONLY)
