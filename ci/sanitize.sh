#!/usr/bin/env bash
# AddressSanitizer and UndefinedBehaviorSanitizer over every default C++ test, SIMT kernels included, and the smoke
# suite's error gate. Builds into build-asan/.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build-asan
cmake --preset asan > build-asan/configure.log 2>&1 || { cat build-asan/configure.log >&2; exit 2; }
cmake --build build-asan
# A finding ends the test: nothing is only printed.
export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
ctest --test-dir build-asan --output-on-failure -j "$(nproc)" -LE slow
NARROWGATE_OUT=build-asan/error_gate
mkdir -p "$NARROWGATE_OUT"
rm -f "$NARROWGATE_OUT"/results.json*
build-asan/narrowgate run smoke --backend cpu,simt --no-timing --out "$NARROWGATE_OUT/results.json"
build-asan/narrowgate compare "$NARROWGATE_OUT/results.json" --out "$NARROWGATE_OUT/verdict.json"
