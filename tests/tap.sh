#!/bin/bash
# tests/tap.sh LOG COMMAND...   Runs one test program or script, keeps what it says in LOG, prints one line about it.
#
# A check is a TAP line: "ok N - claim" or "not ok N - claim" (N may be missing). A command without such lines is one check: its
# exit status. A command that fails without saying which check failed, or that stops before its plan "1..N" is
# through, has one failed check more: a crash must not count as success. Skipped checks count for nothing.
#
# The last line of LOG is for tests/summary.sh. Always exits 0, so that make goes on to the other tests.
log=$1
shift
mkdir -p "$(dirname "$log")"
export CMOCKA_MESSAGE_OUTPUT=TAP
("$@"; exit $?) >"$log" 2>&1 </dev/null # a shell of its own: what is said about a crash goes to the log too
status=$?

awk -v status="$status" -v command="$*" '
    /^1\.\.[0-9]+$/         { planned += substr($0, 4) }
    /^(not )?ok .*# SKIP/   { skipped++; next }
    /^ok( |$)/              { passed++ }
    /^not ok( |$)/          { failed++ }
    END {
        seen = passed + failed + skipped
        if (!seen && !planned && !status) passed = 1
        if (!failed && (status || seen < planned)) {
            failed = 1
            printf "not ok - %s (exit status %d, %d of %d checks seen)\n", command, status, seen, planned
        }
        printf "# passed %d failed %d skipped %d\n", passed, failed, skipped
    }' "$log" >"$log.end"
cat "$log.end" >>"$log"
rm -f "$log.end"

read -r _ _ passed _ failed _ skipped < <(tail -n 1 "$log")
name=${log%.tap}
printf '  TEST  %-48s %3d passed%s%s\n' "${name#build/}" "$passed" "$([ "$skipped" = 0 ] || echo ", $skipped skipped")" \
    "$([ "$failed" = 0 ] || echo ", $failed FAILED: see $log")"
exit 0
