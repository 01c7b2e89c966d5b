#!/usr/bin/env bash
# What nightly runs: the tests labelled slow, all 2³² floats of every format among them, and the same floats through
# ml_dtypes. Builds into build/.
#   NARROWGATE_PYTHON   folder of a python with numpy, ml_dtypes and gfloat, as for `narrowgate report` (default: PATH)
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
python=${NARROWGATE_PYTHON:+$NARROWGATE_PYTHON/}python3
"$python" -c 'import gfloat, ml_dtypes, numpy' || {
  echo "ci/exhaustive.sh: $python lacks numpy, ml_dtypes or gfloat; set NARROWGATE_PYTHON" >&2
  exit 5
}
scripts/build
# No such test would be no finding, so it is an error.
ctest --test-dir build --output-on-failure --no-tests=error -L slow
"$python" scripts/conformance/conformance.py build/scripts/conformance/conformance_codes --exhaustive
