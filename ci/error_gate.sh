#!/usr/bin/env bash
# The error gate of the pr suite on cpu and simt: needs no GPU, gives the exit code of `narrowgate compare`. Before it the
# gates are shown to see every planted bug: what a blind gate passes is worth nothing.
#   NARROWGATE_BIN   the program (default build/narrowgate)
#   NARROWGATE_OUT   folder for results, verdict, summary and selftest.json (default build/error_gate)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 5
program=${NARROWGATE_BIN:-build/narrowgate}
out=${NARROWGATE_OUT:-build/error_gate}
mkdir -p "$out"
rm -f "$out"/results.json "$out"/results.json.journal "$out"/verdict.json "$out"/summary.md "$out"/selftest.json

"$program" selftest --quiet --out "$out/selftest.json" || exit $?
"$program" run pr --backend cpu,simt --no-timing --out "$out/results.json" || exit $?
"$program" compare "$out/results.json" --out "$out/verdict.json" --markdown "$out/summary.md"
code=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$out/summary.md" ]; then cat "$out/summary.md" >> "$GITHUB_STEP_SUMMARY"; fi
exit "$code"
