#!/bin/bash
# tests/scenarios.sh BINARY [SCENARIO...]   Runs scenarios against their own [expect]; all that are shipped if none is named.
#
# The folder says the command: scenarios/run/x.cfg is run by `raid5sim run`, scenarios/check/x.cfg by `raid5sim check`. Exit status
# 0 of the program is a pass: what was expected came out. What it said is shown when it failed.
binary=$1
shift
[ $# -gt 0 ] || set -- scenarios/run/*.cfg scenarios/check/*.cfg
failed=0 number=0
out=$(mktemp) && trap 'rm -f "$out"' EXIT

for scenario in "$@"; do
    [ -f "$scenario" ] || continue
    folder=$(basename "$(dirname "$scenario")")
    number=$((number + 1))
    begin=$(date +%s)
    "$binary" "$folder" "$scenario" >"$out" 2>&1
    status=$?
    took="$(($(date +%s) - begin)) s"
    if [ $status = 0 ]; then
        echo "ok $number - $folder/$(basename "$scenario" .cfg) is as expected # $took"
    else
        echo "not ok $number - $folder/$(basename "$scenario" .cfg) is as expected # exit $status, $took"
        sed 's/^/#   /' "$out"
        failed=1
    fi
done
echo "1..$number"
[ $number -gt 0 ] || failed=1
exit $failed
