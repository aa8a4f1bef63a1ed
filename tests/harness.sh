#!/bin/bash
# tests/tap.sh and tests/summary.sh count rightly: what they miss, nobody else would notice.
# Breaks when a crash, an unfinished plan, a failing script or a missing log counts as success.
. "$(dirname "$0")/lib/claims.sh"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
logs=0

# What tap.sh and summary.sh make of a script.
verdict() { # SCRIPT
    tests/tap.sh "$dir/$logs.tap" bash -c "$1" >"$dir/shown"
    tests/summary.sh "$dir/$logs.tap" | tail -n 1
}
counts() { # CLAIM VERDICT SCRIPT
    local said
    logs=$((logs + 1))
    said=$(verdict "$3")
    [ "$said" = "$2" ]
    report $? "$1 ($said)"
}

counts 'checks are counted one by one' '2 passed, 1 failed' 'echo ok 1; echo not ok 2 - x; echo ok 3; exit 1'
counts 'a silent command is one check' '1 passed, 0 failed' 'exit 0'
counts 'a silent failure is a failed check' '0 passed, 1 failed' 'exit 3'
counts 'a crash after good checks is a failure' '1 passed, 1 failed' 'echo 1..2; echo ok 1; kill -ABRT $$'
counts 'a bad exit after good checks is a failure' '2 passed, 1 failed' 'echo 1..2; echo ok 1; echo ok 2; exit 9'
counts 'an unfinished plan is a failure' '1 passed, 1 failed' 'echo 1..2; echo ok 1'
counts 'a failed check counts whatever the exit status' '0 passed, 1 failed' 'echo not ok 1'
counts 'a skipped check is neither' '1 passed, 0 failed' 'echo 1..2; echo ok 1; echo "not ok 2 # SKIP x"'

[ "$(tests/summary.sh "$dir"/[128].tap | tail -n 1)" = '4 passed, 1 failed' ]
report $? 'logs are added up'
tests/summary.sh "$dir/2.tap" >"$dir/shown"
report $? 'all passed is success'
! tests/summary.sh "$dir/1.tap" >"$dir/shown"
report $? 'one failure is a failure of all'
echo 'ok 1' >"$dir/torn.tap"
[ "$(tests/summary.sh "$dir/torn.tap" "$dir/2.tap" | tail -n 1)" = '1 passed, 1 failed' ]
report $? 'a log nobody finished is a failure'
exit $failed
